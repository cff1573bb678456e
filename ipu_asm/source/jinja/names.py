"""The names of a template: where they are defined, where they are used, and which is which.

Everything is in numbers of tokens, so the table holds as long as no tag changes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Iterator, Sequence

from jinja2 import nodes

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameKind
from ipu_asm.source.jinja.generator import is_mark
from ipu_asm.source.jinja.tokens import Tokens, tag_pairs

GLOBALS = frozenset({"cycler", "dict", "joiner", "namespace", "range"})


class TemplateName(NamedTuple):
    """A definition: the token of the name, and the first and last token of the whole.

    `constant` is the value of a `{% set %}` that is a literal. `parameters` are those of a macro as
    they are written; `macro` is the token of the macro that a parameter belongs to.
    """

    name: str
    kind: NameKind
    token: int
    first: int
    last: int
    constant: str | None = None
    parameters: tuple[str, ...] | None = None
    macro: int = -1


class TemplateUse(NamedTuple):
    """A use of a name; `definition` is the number of its definition, None if it has none."""

    name: str
    token: int
    definition: int | None


class Argument(NamedTuple):
    """An argument of a call: its name if it is given by name, its first and its last token."""

    name: str | None
    first: int
    last: int


class TemplateNames:
    """All definitions and uses of a template.

    `value_of` is, for each output tag with one name in it, the number of the name's definition; the
    tags in `bare` are nothing but a name. `loops` has the names of the loop variables by the tag.
    """

    def __init__(self, tokens: Tokens) -> None:
        """Begin with none; `names_of` adds them."""
        self.definitions: list[TemplateName] = []
        self.uses: list[TemplateUse] = []
        self.value_of: dict[int, int] = {}
        self.bare: set[int] = set()
        self.loops: dict[int, list[tuple[str, int]]] = {}
        self._tokens = tokens
        self._ends = dict(tag_pairs(tokens))

    @cached_property
    def _definition_at(self) -> dict[int, int]:
        return {each.token: number for number, each in enumerate(self.definitions)}

    @cached_property
    def _use_at(self) -> dict[int, TemplateUse]:
        return {use.token: use for use in self.uses}

    @cached_property
    def known_uses(self) -> list[TemplateUse]:
        """The uses of names that are not Jinja's own."""
        return [u for u in self.uses if u.definition is not None or u.name not in GLOBALS]

    def name_token(self, macro: object) -> int:
        """Return the token of a macro's name, given the token of its keyword; -1 if it has none."""
        if not isinstance(macro, int):
            return -1
        number = macro + 1
        while self._tokens.tokens[number].kind != "name":
            number += 1
        return number

    def close_of(self, tag: int) -> int:
        """Return the tag that ends what a tag begins; the tag itself if it begins nothing."""
        return self._ends.get(tag, tag)

    def definition_of_use(self, token: int) -> int | None:
        """Return the definition of the name that is used at a token."""
        use = self._use_at.get(token)
        return use.definition if use else None

    def macro_at(self, token: int) -> TemplateName | None:
        """Return the macro whose definition is at a token."""
        number = self._definition_at.get(token)
        return None if number is None else self.definitions[number]

    def argument(self, call: int, parameter: TemplateName) -> Argument | None:
        """Return what a call gives for a parameter: an argument, or the default."""
        arguments = list(arguments_of(self._tokens, call))
        for each in arguments:
            if each.name == parameter.name:
                return each
        macro = self.macro_at(parameter.macro)
        names = [name.split("=")[0].strip() for name in (macro and macro.parameters) or ()]
        place = names.index(parameter.name) if parameter.name in names else len(arguments)
        if place < len(arguments) and arguments[place].name is None:
            return arguments[place]
        if parameter.last > parameter.first:  # after the name and `=`
            first = parameter.first + 1
            while self._tokens.tokens[first].text.strip() in ("", "="):
                first += 1
            return Argument(None, first, parameter.last)
        return None


def arguments_of(tokens: Tokens, call: int) -> Iterator[Argument]:
    """Yield the arguments of a call whose opening parenthesis is a token."""
    depth, first = 0, call + 1
    for number in range(call, len(tokens.tokens)):
        kind, text, _, _ = tokens.tokens[number]
        if kind != "operator":
            continue
        depth += (text in "([{") - (text in ")]}")
        if depth == 0 or (depth == 1 and text == ","):
            argument = _argument(tokens, first, number - 1)
            if argument:
                yield argument
            first = number + 1
            if depth == 0:
                return


def _argument(tokens: Tokens, first: int, last: int) -> Argument | None:
    numbers = [n for n in range(first, last + 1) if tokens.tokens[n].kind != "whitespace"]
    if not numbers:
        return None
    named = len(numbers) > 2 and tokens.tokens[numbers[1]].text == "="
    name = tokens.tokens[numbers[0]].text if named else None
    return Argument(name, numbers[2] if named else numbers[0], numbers[-1])


_SPECIAL = {"caller", "kwargs", "loop", "self", "super", "varargs"}


class _Scope:
    """The names of one scope, each with the number of its latest definition so far."""

    def __init__(self, parent: _Scope | None = None) -> None:
        self.parent = parent
        self.names: dict[str, int] = {}

    def find(self, name: str) -> int | None:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None


def names_of(tokens: Tokens, tree: nodes.Template) -> TemplateNames:
    names = TemplateNames(tokens)
    _Reader(names, tokens).read(tree)
    names.uses.sort(key=lambda use: use.token)
    return names


class _Reader:
    """Reads a syntax tree in the order of the text."""

    def __init__(self, names: TemplateNames, tokens: Tokens) -> None:
        self._names = names
        self._tokens = tokens
        self._root = _Scope()
        self._later: list[tuple[int, _Scope]] = []
        self._outputs: list[tuple[int, int]] = []  # tags with one name, and the number of its use

    def read(self, tree: nodes.Template) -> None:
        self._all(tree.body, self._root)
        for number, scope in self._later:  # such as a macro that uses what is set after it
            use = self._names.uses[number]
            self._names.uses[number] = use._replace(definition=scope.find(use.name))
        for tag, number in self._outputs:
            definition = self._names.uses[number].definition
            if definition is not None:
                self._names.value_of[tag] = definition

    def _visit_output(self, node: nodes.Output, scope: _Scope) -> None:
        for child in () if is_mark(node) else node.nodes:
            if isinstance(child, nodes.TemplateData):
                continue
            before = len(self._names.uses)
            self._visit(child, scope)
            tag = self._tokens.tag_of[child.lineno]
            if isinstance(child, nodes.Name):
                self._names.bare.add(tag)
            if len({use.name for use in self._names.uses[before:]}) == 1:
                self._outputs.append((tag, before))

    def _all(self, children: Sequence[nodes.Node], scope: _Scope) -> None:
        for child in children:
            self._visit(child, scope)

    def _visit(self, node: nodes.Node, scope: _Scope) -> None:
        visit = getattr(self, f"_visit_{type(node).__name__.lower()}", None)
        if visit is not None:
            visit(node, scope)
        else:
            self._all(list(node.iter_child_nodes()), scope)

    def _visit_name(self, node: nodes.Name, scope: _Scope) -> None:
        if node.ctx == "load":
            self._use(node.name, node.lineno, scope)

    def _visit_nsref(self, node: nodes.NSRef, scope: _Scope) -> None:
        self._use(node.name, node.lineno, scope)

    def _use(self, name: str, token: int, scope: _Scope) -> None:
        definition = scope.find(name)
        if definition is None:
            if name in _SPECIAL:
                return
            self._later.append((len(self._names.uses), scope))
        self._names.uses.append(TemplateUse(name, token, definition))

    def _visit_call(self, node: nodes.Call, scope: _Scope) -> None:
        self._all(list(node.iter_child_nodes()), scope)
        callee = node.node
        number = scope.find(callee.name) if isinstance(callee, nodes.Name) else None
        if number is None or self._names.definitions[number].parameters is None:
            return
        macro = self._names.definitions[number]
        for argument in arguments_of(self._tokens, node.lineno):
            for other, each in enumerate(self._names.definitions):
                if each.macro == macro.token and each.name == argument.name:
                    token = self._name_before(argument.first)
                    self._names.uses.append(TemplateUse(each.name, token, other))

    def _name_before(self, number: int) -> int:
        while self._tokens.tokens[number - 1].kind != "name":
            number -= 1
        return number - 1

    def _visit_assign(self, node: nodes.Assign, scope: _Scope) -> None:
        self._visit(node.node, scope)
        constant = node.node.value if isinstance(node.node, nodes.Const) else None
        self._define(node.target, scope, NameKind.SET, constant)

    def _visit_assignblock(self, node: nodes.AssignBlock, scope: _Scope) -> None:
        inner = _Scope(scope)
        if node.filter is not None:
            self._visit(node.filter, inner)
        self._all(node.body, inner)
        self._define(node.target, scope, NameKind.SET)

    def _visit_for(self, node: nodes.For, scope: _Scope) -> None:
        self._visit(node.iter, scope)
        inner = _Scope(scope)
        tag = self._tokens.tag_of[node.lineno]
        targets = self._define(node.target, inner, NameKind.LOOP_VARIABLE)
        self._names.loops[tag] = [(d.name, d.token) for d in targets]
        if node.test is not None:
            self._visit(node.test, inner)
        self._all(node.body, inner)
        self._all(node.else_, _Scope(scope))

    def _visit_with(self, node: nodes.With, scope: _Scope) -> None:
        self._all(node.values, scope)
        inner = _Scope(scope)
        for target in node.targets:
            self._define(target, inner, NameKind.SET)
        self._all(node.body, inner)

    def _visit_filterblock(self, node: nodes.FilterBlock, scope: _Scope) -> None:
        inner = _Scope(scope)
        self._visit(node.filter, inner)
        self._all(node.body, inner)

    def _visit_block(self, node: nodes.Block, scope: _Scope) -> None:
        self._all(node.body, _Scope(self._root))

    def _visit_callblock(self, node: nodes.CallBlock, scope: _Scope) -> None:
        self._visit(node.call, scope)
        self._visit_parameters(node, _Scope(scope), -1)

    def _visit_macro(self, node: nodes.Macro, scope: _Scope) -> None:
        token = node.lineno + 1
        while self._tokens.tokens[token].kind != "name":
            token += 1
        tag = self._tokens.tag_of[token]
        last = self._tokens.tags[self._names.close_of(tag)].last
        first = self._tokens.tags[tag].first
        parameters = tuple(self._parameter_texts(token))
        macro = TemplateName(
            node.name, NameKind.TEMPLATE_MACRO, token, first, last, None, parameters
        )
        self._add(macro, scope)
        self._visit_parameters(node, _Scope(scope), token)

    def _parameter_texts(self, name: int) -> Iterator[str]:
        call = name + 1
        while self._tokens.tokens[call].text != "(":
            call += 1
        for argument in arguments_of(self._tokens, call):
            written = self._tokens.text[slice(*self._tokens.span(argument.first, argument.last))]
            yield f"{argument.name}={written}" if argument.name else written

    def _visit_parameters(
        self, node: nodes.Macro | nodes.CallBlock, inner: _Scope, macro: int
    ) -> None:
        defaults: list[nodes.Expr | None] = [None] * (len(node.args) - len(node.defaults))
        for name, default in zip(node.args, [*defaults, *node.defaults]):
            last = name.lineno
            if default is not None:
                self._visit(default, inner)
                last = self._end_of_default(name.lineno)
            parameter = TemplateName(
                name.name, NameKind.PARAMETER, name.lineno, name.lineno, last, None, None, macro
            )
            self._add(parameter, inner)
        self._all(node.body, inner)

    def _end_of_default(self, name: int) -> int:
        """Return the last token of a parameter with a default."""
        depth, last = 0, name
        for number in range(name + 1, len(self._tokens.tokens)):
            kind, text, _, _ = self._tokens.tokens[number]
            if kind == "operator":
                depth += (text in "([{") - (text in ")]}")
                if depth < 0 or (depth == 0 and text == ","):
                    break
            if kind != "whitespace":
                last = number
        return last

    def _define(
        self, target: nodes.Node, scope: _Scope, kind: NameKind, constant: object = None
    ) -> list[TemplateName]:
        defined = []
        for name in [target, *target.find_all((nodes.Name, nodes.NSRef))]:
            if isinstance(name, nodes.NSRef):
                self._visit(name, scope)
            if not isinstance(name, nodes.Name):
                continue
            tag = self._tokens.tag_of[name.lineno]
            first = self._tokens.tags[tag].first
            last = self._tokens.tags[tag].last
            if kind is NameKind.SET:
                last = self._tokens.tags[self._names.close_of(tag)].last
            value = None if constant is None else str(constant)
            each = TemplateName(name.name, kind, name.lineno, first, last, value)
            self._add(each, scope)
            defined.append(each)
        return defined

    def _add(self, definition: TemplateName, scope: _Scope) -> None:
        scope.names[definition.name] = len(self._names.definitions)
        self._names.definitions.append(definition)
