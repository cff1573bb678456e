"""Templates that compile: their syntax trees, names and code, reused for equal tags."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from contextlib import contextmanager
from functools import cached_property, lru_cache
from types import TracebackType
from typing import Any, Callable, Iterator, Mapping, Sequence

from jinja2 import TemplateSyntaxError, nodes
from jinja2.runtime import Context, Macro

from ipu_asm.config import Context as Variables
from ipu_asm.diagnostics import EXPANSION_LIMIT, TEMPLATE_SYNTAX, RelatedInformation, RuleId
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.jinja.generator import prepare
from ipu_asm.source.jinja.limits import require_size
from ipu_asm.source.jinja.messages import TOO_DEEP, TOO_LONG, described
from ipu_asm.source.jinja.names import TemplateNames, names_of
from ipu_asm.source.jinja.pieces import Leaves, Piece, joined
from ipu_asm.source.jinja.sandbox import Recorder, Sandbox
from ipu_asm.source.jinja.tokens import Tokens, lexical_error_place, syntax_error_place
from ipu_asm.text import Span

_FILE = "<template>"
_MAX_REMEMBERED_TOKENS = 40_000
"""About 20 MB of syntax trees and code."""
Render = Callable[[Context], Iterator[str]]


class Problem(NamedTuple):
    """The reason why a template cannot be compiled or rendered, its place, and the calls there."""

    rule: RuleId
    message: str
    span: Span
    related: tuple[RelatedInformation, ...] = ()


class CompileError(Exception):
    """A template cannot be compiled."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class CompiledTags:
    """The code of a template. It does not depend on literal text and comments.

    `loads` and `writes` are the names that are read and set anywhere. `root` renders the template,
    `blocks` its blocks.
    """

    def __init__(self, tokens: Tokens, sandbox: Sandbox, functions: Mapping[str, object]) -> None:
        """Compile the tags. Raises `CompileError` if they have a mistake."""
        if tokens.error is not None:
            message, span = lexical_error_place(tokens.error)
            raise CompileError(Problem(TEMPLATE_SYNTAX, message, span))
        self._tokens = tokens
        with _compile_errors(tokens):
            self._tree = sandbox.parse_tokens(tokens)
            _require_different_arguments(self._tree)
            self._read_names()
            prepare(self._tree, tokens.tag_of)
            sandbox.tag_of = tokens.tag_of
            source = sandbox._generate(self._tree, None, _FILE)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # such as of an element of a number
                code = compile(source, _FILE, "exec")
        namespace: dict[str, Any] = {**functions, "_tag_of": tokens.tag_of}
        exec(code, namespace)
        self.root: Render = namespace["root"]
        self.blocks: dict[str, Render] = namespace["blocks"]

    def _read_names(self) -> None:
        self.loads: set[str] = set()
        self.writes: set[str] = set()
        found: list[Any] = [*self._tree.find_all((nodes.Name, nodes.NSRef, nodes.Macro))]
        for node in found:
            is_load = isinstance(node, nodes.NSRef) or getattr(node, "ctx", "") == "load"
            (self.loads if is_load else self.writes).add(node.name)

    @cached_property
    def names(self) -> TemplateNames:
        """The names by the numbers of their tokens."""
        return names_of(self._tokens, self._tree)


def _require_different_arguments(tree: nodes.Template) -> None:
    """Raise `TemplateSyntaxError` for two arguments of one name, which Python refuses."""
    calls = (nodes.Macro, nodes.CallBlock, nodes.Call, nodes.Filter, nodes.Test)
    found: Iterator[Any] = tree.find_all(calls)
    for node in found:
        is_macro = isinstance(node, (nodes.Macro, nodes.CallBlock))
        names: set[str] = set()
        for argument in node.args if is_macro else node.kwargs:
            name = argument.name if is_macro else argument.key
            if name in names:
                what = "macro" if is_macro else "call"
                raise TemplateSyntaxError(f"a {what} has `{name}` twice", argument.lineno)
            names.add(name)


class Compiler:
    """Compiles templates; the last ones are remembered by their tags."""

    def __init__(self) -> None:
        self.recorder = Recorder()
        self.sandbox = Sandbox(self.recorder)
        self._functions = {"environment": self.sandbox, "__file__": "", **self.recorder.functions()}
        self._known: dict[tuple[object, ...], CompiledTags] = {}

    def compiled(self, tokens: Tokens) -> CompiledTags:
        """Return the code of a template. Raises `CompileError`."""
        key = tokens.code
        # The tags before an error are those of a text without one.
        found = None if tokens.error else self._known.pop(key, None)
        self._known[key] = found or CompiledTags(tokens, self.sandbox, self._functions)
        while len(self._known) > 1 and sum(map(len, self._known)) > _MAX_REMEMBERED_TOKENS:
            del self._known[next(iter(self._known))]
        return self._known[key]


@contextmanager
def _compile_errors(tokens: Tokens) -> Iterator[None]:
    """Raise `CompileError` for what Jinja and Python refuse to compile."""
    try:
        yield
    except TemplateSyntaxError as error:
        message, span = syntax_error_place(tokens, error)
        raise CompileError(Problem(TEMPLATE_SYNTAX, message, span)) from None
    except (RecursionError, MemoryError, SyntaxError):
        span = _deepest_tag(tokens)
        raise CompileError(Problem(EXPANSION_LIMIT, TOO_DEEP, span)) from None
    except ValueError:  # Python writes no longer integers
        lengths = [len(each.text) * (each.kind == "integer") for each in tokens.tokens]
        span = tokens.place(lengths.index(max(lengths)))
        raise CompileError(Problem(EXPANSION_LIMIT, TOO_LONG, span)) from None


def _deepest_tag(tokens: Tokens) -> Span:
    """Return the range of the tag with the most tokens."""
    sizes = [last - first for _, first, last in tokens.tags]
    return tokens.tag_span(sizes.index(max(sizes))) if sizes else Span(0, 0)


class FailedTag(NamedTuple):
    """A tag in the call stack of an error.

    `macro` is the name of the macro that the tag called; empty for the tag that raised the error.
    """

    tag: int
    macro: str = ""


def failed_tags(traceback: TracebackType | None) -> list[FailedTag]:
    """Return the tag whose code raised an error, and the tags of the calls that led there."""
    found: list[FailedTag] = []
    failed: FailedTag | None = None
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_filename == _FILE:
            failed = FailedTag(_tag_at(traceback.tb_lineno, frame.f_globals))
        elif failed and frame.f_code is Sandbox.call.__code__:
            macro = frame.f_locals["function"]
            if isinstance(macro, Macro):
                found.append(failed._replace(macro=macro.name))
        traceback = traceback.tb_next
    return [failed, *reversed(found)] if failed else []


def _tag_at(line: int, names: Mapping[str, Any]) -> int:
    """Return the tag of a line of generated code, which has these global names."""
    tokens, lines = _debug_info(names["debug_info"])
    token = tokens[max(0, bisect_right(lines, line) - 1)] if tokens else 0
    tag_of: Sequence[int] = names["_tag_of"]
    while token and tag_of[token] < 0:
        token -= 1
    return max(0, tag_of[token])


@lru_cache(maxsize=1)  # the calls in a traceback are those of one template
def _debug_info(written: str) -> tuple[list[int], list[int]]:
    """Return the tokens and the lines of generated code that a template notes in pairs."""
    pairs = [pair.split("=") for pair in written.split("&") if pair]
    return [int(token) for token, _ in pairs], [int(line) for _, line in pairs]


class Rendering:
    """The text that a template makes; `problem` is what ended it early.

    `undefined`, `is_branch_unknown`, `values` and `loop_values`: see `Recorder`.
    """

    def __init__(self, made: Piece, recorder: Recorder, problem: Problem | None) -> None:
        self.text = str.__str__(made)
        self.problem = problem
        self.undefined = recorder.undefined
        self.is_branch_unknown = recorder.is_branch_unknown
        self.values = recorder.values
        self.loop_values = recorder.loop_values
        self._made = made

    @cached_property
    def leaves(self) -> Leaves:
        """The strings that the text consists of."""
        return Leaves(self._made)


def render(
    compiler: Compiler, tokens: Tokens, tags: CompiledTags, variables: Variables
) -> Rendering:
    """Return what a template makes with these variables. Never raises."""
    recorder, sandbox = compiler.recorder, compiler.sandbox
    recorder.reset(tokens.tokens)
    given: Mapping[str, Any] = {**sandbox.globals, **variables}
    context = Context(sandbox, dict(given), None, tags.blocks)
    try:
        made = joined(tags.root(context))
        require_size(len(made))
    except Exception as error:
        return Rendering(joined(()), recorder, _problem(tokens, error))
    return Rendering(made, recorder, None)


def _problem(tokens: Tokens, error: Exception) -> Problem:
    calls = failed_tags(error.__traceback__)
    spans = [tokens.tag_span(call.tag) for call in calls]
    span = spans[0] if spans else tokens.tag_span(len(tokens.tags) - 1)
    places = [(each, f"in macro `{call.macro}`") for each, call in zip(spans, calls) if call.macro]
    related = tuple(RelatedInformation(*each) for each in dict.fromkeys(places))
    return Problem(*described(error), span, related)
