"""The variables view as text: what is done to a machine, and what it shows then.

The scripts `views/NAME.txt` have commands of `View`; `python -m tests.debugger.inspection.views`
writes their answers anew.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import Final, Iterator

from ipu_asm.debugger.inspection import Group, Item, MemoryRange
from ipu_asm.expressions.tree import ExpressionError
from tests.debugger.inspection.machines import KERNEL, Bench
from tests.scripts import Script, arguments_of, text_and_arguments, write_answers

FOLDER: Final = Path(__file__).parent / "views"
_FIRST_ELEMENTS: Final = 8


class View:
    """Commands are the methods `do_...`. Other commands begin with a machine, a `bench`."""

    def __init__(self, programs: dict[str, str]) -> None:
        self._programs = {"KERNEL": KERNEL, **programs}
        self._bench = Bench()

    def answer(self, line: str) -> str:
        word, _, rest = line.partition(" ")
        try:
            return "\n".join(getattr(self, f"do_{word}")(rest) or ())
        except ExpressionError as error:
            return f"! {error.message}"

    def do_bench(self, rest: str) -> None:
        """`bench PROGRAM dtype=1 ranges=[[name, address, size]]`."""
        (name,), options = arguments_of(rest)
        ranges = [MemoryRange(*each) for each in options.get("ranges", ())]
        self._bench = Bench(self._programs[name], options.get("dtype", 0), *ranges)

    def do_put(self, rest: str) -> None:
        """`put PLACE := VALUE`."""
        place, _, value = rest.partition(" := ")
        self._bench.put(place, value)

    def do_step(self, rest: str) -> None:
        self._bench.step(int(rest or "1"))

    def do_leave(self, _: str) -> None:
        self._bench.leave()

    def do_next(self, _: str) -> None:
        """A step without a stop before or after it."""
        self._bench.debugger.step()

    def do_back(self, _: str) -> None:
        self._bench.debugger.step_back()

    def do_goto(self, rest: str) -> None:
        self._bench.debugger.go_to(int(rest))

    def do_arrive(self, rest: str) -> None:
        self._bench.arrive(rest)

    def do_scopes(self, _: str) -> Iterator[str]:
        for scope in self._bench.inspector.scopes():
            found = self._bench.inspector.children(scope.group)
            assert (scope.named, scope.indexed, scope.is_expensive) == (len(found), 0, False)
            yield f"{scope.name}: {scope.named} {scope.hint}"

    def do_items(self, rest: str) -> Iterator[str]:
        """`items PATH  notation="x" start=n`: what a line opens to; equal values in one line."""
        path, options = text_and_arguments(rest)
        start, notation = options.get("start", 0), options.get("notation")
        found = self._bench.inspector.children(self._bench.group(path), start, notation=notation)
        for _, run in groupby(found, lambda item: item.value):
            first, *others = run
            more = f" (and so on to {others[-1].name})" if others else ""
            yield _line(first) + more

    def do_item(self, rest: str) -> Iterator[str]:
        """`item EXPRESSION  notation="x"`: its item, and the first lines of what it opens to."""
        text, options = text_and_arguments(rest)
        notation = options.get("notation")
        item = self._bench.inspector.item_of(text, notation)
        kind = f"{item.type}, {item.expression}{', writable' if item.is_writable else ''}"
        yield f"{_line(item)} ({kind})"
        yield from self._opened(item.group, item.indexed, "  ")

    def do_vectors(self, _: str) -> Iterator[str]:
        for each in self._bench.inspector.vectors():
            types, masks = " ".join(each.types), " ".join(each.masks[:1])
            yield f"{each.name}: {each.elements} x {each.type}; {types}; {masks}"

    def do_vector(self, rest: str) -> Iterator[str]:
        """`vector EXPRESSION  type="i32" mask="mask[0]"`: the vector, its first elements."""
        text, options = text_and_arguments(rest)
        view = self._bench.inspector.vector_view(text, options.get("type"), options.get("mask"))
        assert len(view.numbers) == len(view.texts) == len(view.bits) == len(view.expressions)
        yield f"{view.path}: {len(view.numbers)} x {view.type}; {' '.join(view.types)}"
        first = slice(_FIRST_ELEMENTS)
        yield f"{', '.join(view.texts[first])}; {', '.join(view.bits[first])}"
        yield f"{view.expressions[0]} to {view.expressions[-1]}"
        extent = " to ".join(view.extent or ("nothing", "nothing"))
        yield f"{extent}, {view.nans} NaN, {view.infinities} infinite"
        for index, before, shown in zip(view.changed, view.previous, view.previous_texts):
            yield f"[{index}] was {shown} ({before})"
        if view.masked:
            yield f"masked: {view.masked}"

    def _opened(self, group: Group | None, size: int, indent: str) -> Iterator[str]:
        if group is None:
            return
        found = self._bench.inspector.children(group)
        assert len(found) == size
        for item in found[:2]:
            yield f"{indent}{_line(item)} ({item.expression})"
        yield from self._opened(found[0].group, found[0].indexed, f"{indent}  ")


def _line(item: Item) -> str:
    return f"{item.name} = {item.value}"


def play(script: Script) -> list[str]:
    """The lines of a script with the answers that a machine gives now."""
    return script.played(View(script.programs).answer)


if __name__ == "__main__":
    write_answers(FOLDER, sys.argv[1:], play)
