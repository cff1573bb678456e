"""A template that is compiled once and rendered in each context."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from types import TracebackType
from typing import Mapping, NamedTuple

from jinja2 import TemplateSyntaxError, nodes
from jinja2.environment import Template
from jinja2.parser import Parser

from ipu_asm.diagnostics import RuleId
from ipu_asm.diagnostics.errors import EXPANSION_LIMIT, TEMPLATE_SYNTAX
from ipu_asm.source.jinja.generator import TreeParts, prepare
from ipu_asm.source.jinja.limits import LimitError, require_length
from ipu_asm.source.jinja.name_reader import names_of
from ipu_asm.source.jinja.pieces import Leaves, PieceKind, joined, piece
from ipu_asm.source.jinja.sandbox import Recorder, Sandbox
from ipu_asm.source.jinja.syntax_errors import lexical_error_place, readable, syntax_error_place
from ipu_asm.source.jinja.tokens import Tokens
from ipu_asm.text import Span

_FILE = "<template>"
_TOO_DEEP = "a template is nested too deeply to be read"


class Problem(NamedTuple):
    """Why a template cannot be compiled, or not rendered, and where."""

    rule: RuleId
    message: str
    span: Span


class CompileError(Exception):
    """A template cannot be compiled."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Rendering(NamedTuple):
    """The result of rendering: the leaves, or the problem that ended it, and what was recorded.

    `undefined` are the undefined values that were used, by token: message and name.
    """

    leaves: Leaves | None
    problem: Problem | None
    undefined: dict[int, tuple[str, str | None]]
    is_branch_unknown: bool
    values: dict[int, list[str]]
    loop_values: dict[int, list[str]]


class CompiledTemplate:
    """The code of a template. It does not depend on literal text, only on the tags."""

    def __init__(self, tokens: Tokens) -> None:
        """Compile a template. Raises `CompileError` if it has a mistake, or takes too much."""
        if tokens.error is not None:
            message, span = lexical_error_place(tokens, tokens.error)
            raise CompileError(Problem(TEMPLATE_SYNTAX, message, span))
        self._recorder = Recorder()
        sandbox = Sandbox(tokens, self._recorder)
        try:
            tree = Parser(sandbox, "").parse()
            self.names = names_of(tokens, tree)
            prepared = prepare(tree, tokens.tag_of)
            self.captured = captured_literals(prepared)
            code = compile(sandbox._generate(tree, None, _FILE), _FILE, "exec")
        except TemplateSyntaxError as error:
            message, span = syntax_error_place(tokens, error)
            raise CompileError(Problem(TEMPLATE_SYNTAX, message, span)) from None
        except (RecursionError, MemoryError, SyntaxError):
            span = _deepest_tag(tokens)
            raise CompileError(Problem(EXPANSION_LIMIT, _TOO_DEEP, span)) from None
        namespace = {"environment": sandbox, "__file__": _FILE, **self._recorder.functions()}
        exec(code, namespace)
        self._template = Template.from_module_dict(sandbox, namespace, sandbox.make_globals(None))

    def render(self, tokens: Tokens, variables: Mapping[str, object]) -> Rendering:
        """Return the text of the template with these variables. Never raises."""
        recorder = self._recorder
        recorder.reset()
        recorder.literals.clear()
        for number, token in enumerate(tokens.tokens):
            if token.kind == "data":
                recorder.literals[number] = piece(tokens.literal(number), PieceKind.LITERAL, number)
        leaves, problem = None, None
        try:
            root = joined(
                self._template.root_render_func(self._template.new_context(dict(variables)))
            )
            require_length(len(root))
            leaves = Leaves(root)
        except Exception as error:
            problem = self._problem(tokens, error)
        undefined = {token: (v.message, v.name) for token, v in recorder.undefined.items()}
        return Rendering(
            leaves,
            problem,
            undefined,
            recorder.is_branch_unknown,
            recorder.values,
            recorder.loop_values,
        )

    def _problem(self, tokens: Tokens, error: Exception) -> Problem:
        span = tokens.tag_span(self._failed_tag(tokens, error.__traceback__))
        if isinstance(error, LimitError):
            return Problem(EXPANSION_LIMIT, str(error), span)
        if isinstance(error, (RecursionError, MemoryError, OverflowError)):
            message = f"a template needs limited time and memory, found: {readable(error)}"
            return Problem(EXPANSION_LIMIT, message, span)
        return Problem(TEMPLATE_SYNTAX, f"the template cannot be rendered: {readable(error)}", span)

    def _failed_tag(self, tokens: Tokens, traceback: TracebackType | None) -> int:
        """Return the tag whose code is innermost on the stack of an error."""
        line = 0
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == _FILE:
                line = traceback.tb_lineno
            traceback = traceback.tb_next
        lines, numbers = self._code_lines
        token = numbers[bisect_right(lines, line) - 1] if lines else 0
        while token and tokens.tag_of[token] < 0:
            token -= 1
        return max(0, tokens.tag_of[token])

    @cached_property
    def _code_lines(self) -> tuple[list[int], list[int]]:
        """The lines of code at which the code of a token begins, and the tokens."""
        written = self._template._debug_info
        pairs = [tuple(map(int, pair.split("="))) for pair in written.split("&") if pair]
        return [line for _, line in pairs], [token for token, _ in pairs]


def _deepest_tag(tokens: Tokens) -> Span:
    """Return the range of the tag with the most tokens."""
    sizes = [last - first for _, first, last in tokens.tags]
    return tokens.tag_span(sizes.index(max(sizes))) if sizes else Span(0, 0)


def captured_literals(found: TreeParts) -> set[int]:
    """Return the literals that the template may compute with, by the numbers of their tokens.

    Those are literals in blocks whose text may become a value. With one of those, or with a macro
    whose result is more than an output, the literals of macros are among them.
    """
    capturing = found.capturing
    if capturing or any(macro.name in found.measured for macro in found.macros):
        capturing = [*capturing, *found.macros]
    return {literal.lineno for node in capturing for literal in node.find_all(nodes.TemplateData)}
