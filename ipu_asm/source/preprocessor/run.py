"""One run of the preprocessor over a file and its headers, with assumptions about unknown names."""

from __future__ import annotations

import re
from typing import Callable, Iterable, Sequence

from ipu_asm.diagnostics import EXPANSION_LIMIT
from ipu_asm.source.preprocessor.conditionals import Chain, Conditionals, FoundInclude, LineRead
from ipu_asm.source.preprocessor.conditions import Assumptions, Condition, condition_of
from ipu_asm.source.preprocessor.environment import Environment, FileStore
from ipu_asm.source.preprocessor.lines import LINE_BREAK, FileLines, Line
from ipu_asm.source.preprocessor.memo import KnownCondition, memo_of, output_at
from ipu_asm.source.preprocessor.mistakes import (
    MAX_INCLUDE_DEPTH,
    MAX_INCLUDES,
    MAX_LINE_LENGTH,
    MAX_WRITTEN,
    Budget,
    LimitExceeded,
    Mistake,
    incomplete_paste,
    malformed_definition,
    missing_name,
    reached_error,
    reserved_name,
)
from ipu_asm.source.preprocessor.output import Mention, Output, Piece, verbatim
from ipu_asm.source.preprocessor.substitution import FollowingLines, Substitution
from ipu_asm.source.preprocessor.tokens import (
    RESERVED_NAMES,
    Kind,
    LineFrame,
    Macro,
    Place,
    Token,
    file_name,
    solid,
    written_place,
)
from ipu_asm.source.source_map import FrameKind

_BREAK = re.compile(LINE_BREAK)


class Run:
    """The result of preprocessing a file: `pieces` of text, macros, includes and conditionals."""

    def __init__(
        self, environment: Environment, files: FileStore, assumptions: Assumptions
    ) -> None:
        self.assumptions = assumptions
        self.pieces: list[Piece] = []
        self.table: dict[str, Macro] = environment.macros(assumptions)
        self.chains: list[Chain] = []
        self.includes: list[FoundInclude] = []
        self.files: dict[str, FileLines] = {}
        self.limits: list[Mistake] = []
        self.mistakes: list[Mistake] = []
        self.macros: list[Macro] = []
        self.mentions: list[Mention] = []
        self.reads: list[LineRead] = []
        self.log: list[tuple[str, Macro | None]] = []
        self.is_refused = False
        self.reads_on = False
        self._environment = environment
        self._store = files
        self._undefined: set[str] = set()
        self._is_missing = False
        self._once: set[str] = set()
        self._included = 0
        self.budget = Budget(0)
        self._count = 0
        for name, text in (("__LINE__", self._line), ("__FILE__", self._file)):
            self.table[name] = Macro(name, None, (), dynamic=text)
        self.table["__COUNTER__"] = Macro("__COUNTER__", None, (), dynamic=self._counted)
        self.first_table = dict(self.table)

    def preprocess(self, main: FileLines) -> Run:
        """Read the file with all its headers."""
        self.budget = Budget(len(main.text))
        try:
            _FileRun(self, main, None, 0).read()
        except LimitExceeded:
            self.pieces.clear()
        return self

    def _line(self, token: Token) -> str:
        line, start, _ = written_place(token)
        offset = self.files[line.path].range_of(line, start, start).span.start
        return str(1 + len(_BREAK.findall(self.files[line.path].text, 0, offset)))

    def _file(self, token: Token) -> str:
        path = token.place.line.path or self._environment.path or "<stdin>"
        return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def _counted(self, token: Token) -> str:
        self._count += 1
        return str(self._count - 1)

    # What a file's lines do to the run.

    def write(self, output: Output, base: LineFrame | None) -> None:
        """Add a piece of text. Raises `LimitExceeded`."""
        self.budget.write(len(output.text))
        self.mistakes += output.mistakes
        self.reads_on = self.reads_on or output.reads_on
        self.pieces.append(Piece(output, base))

    def define(self, line: Line) -> None:
        """Define the macro of a `#define` line; a malformed line defines none."""
        if len(line.text) > MAX_LINE_LENGTH:
            raise self.budget.exceeded(
                f"a definition is longer than {MAX_LINE_LENGTH:,} characters"
            )
        macro = memo_of(line).macro
        if macro is None:
            self.mistakes.append(malformed_definition(line))
        else:
            self.table[macro.name] = macro
            self.log.append((macro.name, macro))
            self.macros.append(macro)
            if "##" in line.text and (mistake := incomplete_paste(macro)) is not None:
                self.mistakes.append(mistake)

    def mention(self, line: Line) -> None:
        """Record the macros that the names in a directive refer to."""
        if line.names:
            self.mentions.append(Mention(line, {n: self.table.get(n) for n in line.names}))

    def undefine(self, line: Line) -> None:
        """Undefine the macro that an `#undef` line names."""
        self.mention(line)
        name = self.name_of(line)
        self.table.pop(name, None)
        self.log.append((name, None))
        self._undefined.add(name)

    def name_of(self, line: Line) -> str:
        """Return the name in a directive, the empty string if it is missing."""
        word = next(iter(memo_of(line).words), None)
        if word is None or word.kind is not Kind.NAME:
            self.mistakes.append(missing_name(line))
            return ""
        if word.text == "defined" or (line.directive == "undef" and word.text in RESERVED_NAMES):
            self.mistakes.append(reserved_name(line))
            return ""
        return word.text

    def is_unknown(self, name: str) -> bool:
        """Return whether a name is undefined here but may be defined in a missing header."""
        return self._is_missing and name not in self.table and name not in self._undefined

    def condition(self, line: Line, defines_next: str) -> Condition:
        """Return the condition of a line; `defines_next` is the name of an include guard."""

        def is_unknown(name: str) -> bool:
            return name != defines_next and self.is_unknown(name)

        memo = memo_of(line)
        known = memo.condition(self.table, is_unknown)
        if known is not None:
            self.budget.spend(known.cost)
            return known.condition
        before = self.budget.spent
        substitution = self._substitution()
        condition = self._condition(line, is_unknown, substitution)
        if not substitution.is_dynamic:
            names = line.names | self._environment.choices.keys()
            used = {**{name: self.table.get(name) for name in names}, **substitution.used}
            unknown = frozenset(name for name in used if is_unknown(name))
            cost = self.budget.spent - before
            memo.keep_condition(KnownCondition(condition, used, unknown, cost))
        return condition

    def _substitution(self) -> Substitution:
        return Substitution(self.table, self.budget, FollowingLines((), 0))

    def _condition(
        self, line: Line, is_unknown: Callable[[str], bool], substitution: Substitution
    ) -> Condition:
        choices = {
            name: values
            for name, values in self._environment.choices.items()
            if name in self.table and self.table[name].place is None
        }

        def has_include(name: str, is_angled: bool) -> bool:
            substitution.is_dynamic = True
            return self._environment.search.find(name, is_angled, line.path) is not None

        return condition_of(line, self.table, is_unknown, choices, substitution, has_include)

    def skip(self, line: Line) -> None:
        """Add the line breaks of a line of the analysed file that is not assembled."""
        self.reads.append(LineRead(line, len(self.pieces), None))
        self.write(memo_of(line).breaks, None)

    def text(self, lines: Sequence[Line], at: int, base: LineFrame | None) -> int:
        """Add the output of the line at an index; return how many lines it was made of."""
        if base is None:
            self.reads.append(LineRead(lines[at], len(self.pieces), len(self.log)))
        output = output_at(lines, at, self.table, self.budget).output
        self.write(output, base)
        if output.used:
            read = lines[at : at + output.lines]
            self.mentions += [Mention(each, output.used) for each in read]
        return output.lines

    def include(self, line: Line, file: _FileRun) -> bool:
        """Read the file that a line includes; return whether it is found."""
        words = memo_of(line).words
        is_macro = bool(words) and words[0].kind is Kind.NAME
        if is_macro:
            target = file_name(solid(self._substitution().expand_line(words)))
        else:
            target = file_name(words)
        if target is None:
            if not is_macro:
                self.mistakes.append(missing_name(line, "a file in quotes or angle brackets"))
            return False
        name, is_angled, place = target
        place = words[0].place if is_macro else place
        path = self._environment.search.find(name, is_angled, line.path)
        lines = self._store.read(path) if path is not None else None
        self.includes.append(FoundInclude(place, name, path if lines is not None else None))
        if lines is None or path is None:
            self._is_missing = True
            return False
        is_once = line.directive == "import"
        if path in self._once or (is_once and path in self.files):
            return True
        self._included += 1
        if self._included > MAX_INCLUDES:
            raise self.budget.exceeded(f"files are included more than {MAX_INCLUDES:,} times")
        if file.depth >= MAX_INCLUDE_DEPTH:
            raise self.budget.exceeded(f"`{name}` is included {MAX_INCLUDE_DEPTH} levels deep")
        if len(lines.text) > MAX_WRITTEN:
            raise self.budget.exceeded(f"`{name}` has more than {MAX_WRITTEN:,} characters")
        self.budget.write(len(lines.text) // 4)
        base = LineFrame(FrameKind.INCLUDE, f"include of `{name}`", place, None, file.base)
        _FileRun(self, lines, base, file.depth + 1).read()
        return True

    def refuse(self, line: Line, names: Iterable[str]) -> None:
        """Apply an `#error` in conditionals that test `names`.

        It is no mistake if a missing header or the compiler may define one of them.
        """
        self.is_refused = True
        if not self._is_missing and all(not n.startswith("__") or n in self.table for n in names):
            self.mistakes.append(reached_error(line))

    def once(self, path: str) -> None:
        """Skip further includes of a file (`#pragma once`)."""
        self._once.add(path)


class _FileRun:
    """The reading of one file, the analysed one or a header."""

    def __init__(self, run: Run, lines: FileLines, base: LineFrame | None, depth: int) -> None:
        self.base = base
        self.depth = depth
        self._run = run
        self._lines = lines.lines
        self._conditionals = Conditionals(run.assumptions, self._condition, run.chains)
        # Of a header in another language, only what it defines counts.
        self._has_text = depth == 0 or lines.is_assembly
        run.files[lines.path] = lines

    def read(self) -> None:
        at = 0
        while at < len(self._lines):
            line = self._lines[at]
            try:
                at += self._line(line, at)
            except LimitExceeded as error:
                if not self._run.limits:
                    text = line.text.rstrip()
                    place = Place(line, len(text) - len(text.lstrip()), len(text))
                    self._run.limits.append(Mistake(EXPANSION_LIMIT, place, str(error)))
                raise
        self._conditionals.close_all()
        if self._has_text:
            self._run.mistakes += self._conditionals.mistakes

    def _line(self, line: Line, at: int) -> int:
        """Read a line; return the number of lines read."""
        is_active = self._conditionals.is_active
        if not line.directive:
            if not is_active:
                self._blank(line)
            elif self._has_text:
                return self._run.text(self._lines, at, self.base)
            return 1
        if not self._conditionals.read(line, at) and is_active and not self._effect(line):
            self._run.write(verbatim(line), self.base)
        else:
            self._blank(line)
        return 1

    def _blank(self, line: Line) -> None:
        """Keep the line breaks of a directive or an inactive line of the analysed file."""
        if self.depth == 0:
            self._run.skip(line)

    def _effect(self, line: Line) -> bool:
        """Apply a directive; return False if it stays in the text."""
        word = line.directive
        if word == "define":
            self._run.define(line)
        elif word == "undef":
            self._run.undefine(line)
        elif word in ("include", "include_next", "import"):
            return self._run.include(line, self)
        elif word == "error":
            self._run.refuse(line, self._conditionals.names)
        elif word == "pragma" and [token.text for token in memo_of(line).words] == ["once"]:
            self._run.once(line.path)
        return True

    def _condition(self, line: Line, at: int) -> Condition:
        self._run.mention(line)
        if line.directive.endswith("def"):
            self._run.name_of(line)
        is_guard = line.directive in ("if", "ifndef")
        return self._run.condition(line, self._defined_next(at) if is_guard else "")

    def _defined_next(self, at: int) -> str:
        """Return the name that the next directive defines: a guard is not defined yet."""
        for line in self._lines[at + 1 : at + 10]:
            if line.directive:
                macro = memo_of(line).macro if line.directive == "define" else None
                return macro.name if macro else ""
        return ""
