"""Machines to look at, and what they show."""

from __future__ import annotations

from typing import Final, Iterator

from ipu_asm.debugger.expressions import LiveContext, assign
from ipu_asm.debugger.expressions.program_names import names_from_notes
from ipu_asm.debugger.inspection import Group, Inspector, Item, MemoryRange, StateAtCycle
from ipu_asm.program.line_table import LineTable
from ipu_asm.program.register_notes import register_notes
from tests.debugger.sessions import LOOP, debugger_on

KERNEL: Final = f"""\
# lr1 = the counter, up to eight
# lr3 = row size
# cr1 = INPUT_BASE (inputs, 128 bytes a row)
# cr15 = element type
# r0 = the row
{LOOP}"""
"""Bundle 3 stores the accumulator to cr0 + lr5, bundle 4 loads r0 from cr1 + lr1."""


class Bench:
    """An inspected machine with a program that is all zero but for `cr1` = 0x1000 and `cr15`."""

    def __init__(self, text: str = KERNEL, dtype: int = 0, *ranges: MemoryRange) -> None:
        self.debugger = debugger_on(text)
        self.state = self.debugger.state
        self.state.regfile.set_cr(1, 0x1000)
        self.state.set_cr_dtype(dtype)
        program = self.debugger.program
        names, notes = names_from_notes(program), register_notes(program)
        self.context = LiveContext(self.state, 0, program.label_addresses, names)
        self.inspector = Inspector(
            self.state, self.context, LineTable(program), notes=notes, ranges=ranges
        )
        self.before: StateAtCycle | None = None

    def leave(self) -> None:
        """What changes from now on is told."""
        self.before = StateAtCycle(self.state.save(), self.debugger.cycle)
        self.arrive()

    def arrive(self, why: str = "") -> None:
        """Stand still again."""
        self.context.cycle = self.debugger.cycle
        self.inspector.update_after_stop(self.before, why)

    def step(self, bundles: int = 1) -> None:
        """Step, with what the last step changed to be told."""
        for _ in range(bundles):
            self.leave()
            self.debugger.step()
        self.arrive("after a step")

    def put(self, place: str, value: str) -> None:
        """Give something a value."""
        assign(self.context, place, value)

    def group(self, path: str) -> Group:
        """What a line opens to, by the names on the way there: `Vectors/r0/[16..31]`."""
        first, *names = path.split("/")
        group = next(s.group for s in self.inspector.scopes() if s.name == first)
        for name in names:
            item = self.inspector.child(group, name)
            assert item is not None, f"no {name} in {path}"
            assert item.group is not None, f"{name} opens to nothing"
            group = item.group
        return group

    def items(self, path: str, notation: str | None = None) -> list[Item]:
        """What a line opens to."""
        return self.inspector.children(self.group(path), notation=notation)

    def line(self, path: str, notation: str | None = None) -> str:
        """The value of one line."""
        parent, _, name = path.rpartition("/")
        return next(item.value for item in self.items(parent, notation) if item.name == name)

    def everything(self) -> Iterator[Item]:
        """The items of all scopes, and what the first and last of each level open to."""
        for scope in self.inspector.scopes():
            waiting = [scope.group]
            while waiting:
                group = waiting.pop()
                found = self.inspector.children(group, 0, 40)
                yield from found
                opened = [item.group for item in found if item.group is not None]
                waiting += opened if group.name else opened[:1] + opened[1:][-1:]


def lines(items: list[Item]) -> list[str]:
    """Items as a person reads them."""
    return [f"{item.name} = {item.value}" for item in items]
