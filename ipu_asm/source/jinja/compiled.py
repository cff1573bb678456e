"""The syntax trees of templates and of their parts, and the code that is made of them."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from contextlib import contextmanager
from functools import cached_property
from types import CodeType, TracebackType
from typing import Any, Callable, Iterator, Mapping, Sequence

from jinja2 import TemplateSyntaxError, nodes
from jinja2.idtracking import symbols_for_node
from jinja2.runtime import Context, Macro

from ipu_asm.diagnostics import RelatedInformation, RuleId
from ipu_asm.diagnostics.errors import EXPANSION_LIMIT, TEMPLATE_SYNTAX
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.jinja.generator import TreeParts, declare, prepare
from ipu_asm.source.jinja.names import TemplateNames, names_of
from ipu_asm.source.jinja.sandbox import Sandbox
from ipu_asm.source.jinja.tokens import Tokens, lexical_error_place, syntax_error_place
from ipu_asm.text import Span

_FILE = "<template>"
_TOO_LONG = "a number may have 4,300 decimal digits at most, found more"
_TOO_DEEP = "a template is nested too deeply to be read"


class Problem(NamedTuple):
    """Why a template cannot be compiled, or not rendered, where, and by which calls."""

    rule: RuleId
    message: str
    span: Span
    related: tuple[RelatedInformation, ...] = ()


class CompileError(Exception):
    """A template cannot be compiled."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Function(NamedTuple):
    """The functions of a part: that of its text, and those of its blocks."""

    root: Callable[[Context], Iterator[str]]
    blocks: dict[str, Callable[[Context], Iterator[str]]]


class CompiledTags:
    """What the tags of a template, or of a part of one, say. It does not depend on literal text.

    `loads` and `writes` are the names that are read and set anywhere, `mentions` both. `roots` are
    those at root level; of them, `sets` may be set, `born` before they are read. `inner` are the
    others.
    `captured` are the literals whose text may become a value, and `is_capturing` whether there may
    be any. `macro_literals` are those in macros, `macros` the names of these. `measured` are the
    names that are used other than as the macro of an output that is nothing but its call.
    """

    def __init__(self, tokens: Tokens, sandbox: Sandbox, functions: Mapping[str, object]) -> None:
        """Read the tags. Raises `CompileError` if they have a mistake."""
        if tokens.error is not None:
            message, span = lexical_error_place(tokens.error)
            raise CompileError(Problem(TEMPLATE_SYNTAX, message, span))
        self._tokens = tokens
        self._sandbox = sandbox
        self._functions = functions
        self._codes: dict[frozenset[str], CodeType] = {}
        with _compile_errors(tokens):
            self.tree = sandbox.parse_tokens(tokens)
            self._read_names()
            found = prepare(self.tree, tokens.tag_of)
        self._read_literals(found)

    def _read_names(self) -> None:
        loads: set[str] = set()
        writes: set[str] = set()
        found: list[Any] = [*self.tree.find_all((nodes.Name, nodes.NSRef, nodes.Macro))]
        for node in found:
            is_load = isinstance(node, nodes.NSRef) or getattr(node, "ctx", "") == "load"
            (loads if is_load else writes).add(node.name)
        symbols = symbols_for_node(self.tree)
        self.loads, self.writes = frozenset(loads), frozenset(writes)
        self.roots, self.sets = frozenset(symbols.refs), frozenset(symbols.stores)
        self.mentions = self.loads | self.writes
        self.inner = self.mentions - self.roots
        self.born = frozenset(
            name for name, ref in symbols.refs.items() if symbols.loads[ref][0] == "undefined"
        )

    def _read_literals(self, found: TreeParts) -> None:
        self.measured = frozenset(found.measured)
        self.is_capturing = bool(found.capturing)
        self.captured = _literals_in(found.capturing)
        self.macros = frozenset(macro.name for macro in found.macros)
        self.macro_literals = _literals_in(found.macros)

    @cached_property
    def names(self) -> TemplateNames:
        """The names, as if there were nothing around."""
        return names_of(self._tokens, [(self.tree, 0)])

    def function(self, tokens: Tokens, base: int, around: frozenset[str]) -> Function:
        """Return the functions that render one part with these tags; `base` tells it from others.

        `tokens` are its own. `around` are the inner names that the rest of the template has at root
        level. Raises `CompileError` for what the code generator refuses.
        """
        code = self._codes.get(around)
        if code is None:
            code = self._codes[around] = self._compiled(tokens, around)
        namespace: dict[str, Any] = {
            **self._functions,
            "_base": base,
            "_tag_of": self._tokens.tag_of,
        }
        exec(code, namespace)
        return Function(namespace["root"], namespace["blocks"])

    def _compiled(self, tokens: Tokens, around: frozenset[str]) -> CodeType:
        self._sandbox.tag_of = tokens.tag_of
        with _compile_errors(tokens):
            declare(self.tree, sorted(self.roots | around))
            source = self._sandbox._generate(self.tree, None, _FILE)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # such as of an element of a number
                return compile(source, _FILE, "exec")


def _literals_in(found: Sequence[nodes.Node]) -> frozenset[int]:
    return frozenset(each.lineno for node in found for each in node.find_all(nodes.TemplateData))


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
        raise CompileError(Problem(EXPANSION_LIMIT, _TOO_DEEP, span)) from None
    except ValueError:  # Python writes no longer integers
        lengths = [len(each.text) * (each.kind == "integer") for each in tokens.tokens]
        span = tokens.place(lengths.index(max(lengths)))
        raise CompileError(Problem(EXPANSION_LIMIT, _TOO_LONG, span)) from None


def _deepest_tag(tokens: Tokens) -> Span:
    """Return the range of the tag with the most tokens."""
    sizes = [last - first for _, first, last in tokens.tags]
    return tokens.tag_span(sizes.index(max(sizes))) if sizes else Span(0, 0)


class FailedTag(NamedTuple):
    """A tag in the call stack of an error: the base of its part, and its number in the part.

    `macro` is the name of the macro that the tag called; empty for the tag that raised the error.
    """

    base: int
    tag: int
    macro: str = ""


def failed_tags(traceback: TracebackType | None) -> list[FailedTag]:
    """Return the tag whose code raised an error, and those of the calls that led there."""
    found: list[FailedTag] = []
    failed: FailedTag | None = None
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_filename == _FILE:
            failed = _tag_at(traceback.tb_lineno, frame.f_globals)
        elif failed and frame.f_code is Sandbox.call.__code__:
            macro = frame.f_locals["function"]
            if isinstance(macro, Macro):
                found.append(failed._replace(macro=macro.name))
        traceback = traceback.tb_next
    return [failed, *reversed(found)] if failed else []


def _tag_at(line: int, names: Mapping[str, Any]) -> FailedTag:
    """Return the tag of a line of generated code, which has these global names."""
    written = [pair.split("=") for pair in names["debug_info"].split("&") if pair]
    number = max(0, bisect_right([int(line) for _, line in written], line) - 1)
    token, tag_of = int(written[number][0]) if written else 0, names["_tag_of"]
    while token and tag_of[token] < 0:
        token -= 1
    return FailedTag(names["_base"], max(0, tag_of[token]))
