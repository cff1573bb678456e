"""What is known of the loops of a text: iterations, and the bundles that they issue."""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.flow.counted_loops.constants import constants_of
from ipu_asm.flow.counted_loops.effects import effect_of
from ipu_asm.flow.counted_loops.graph import Graph, graph_of
from ipu_asm.flow.counted_loops.loops import CountedLoop, Loops, Path
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program


class FunctionCycles(NamedTuple):
    """The bundles that a call of the function at `start` issues, those of calls excluded.

    `issued` has the executions of each bundle, None if control depends on the bundle at
    `undecided`, or if what that bundle does is not known.
    """

    start: int
    issued: Mapping[int, int] | None
    undecided: int

    @property
    def cycles(self) -> int | None:
        """All bundles that are issued."""
        return None if self.issued is None else sum(self.issued.values())


class CountedLoops(NamedTuple):
    """The loops of a text whose iterations follow from constants, by their first address.

    `ranges` has the first and the last address of all loops that no branch to a label shows.
    `functions` are the places where other files may enter the text, by address.
    """

    loops: Mapping[int, CountedLoop]
    ranges: Mapping[int, int]
    functions: Sequence[FunctionCycles]

    @property
    def whole(self) -> FunctionCycles | None:
        """The only function of the text, which begins with it; None if there are several."""
        return self.functions[0] if len(self.functions) == 1 else None


def repeats_bundles(program: Program, address: int) -> bool:
    """Return whether the bundle at an address repeats those behind it."""
    if program.isa.counting.repeats is None:
        return False
    bundle = program.bundles[program.bundle_at_address[address]]
    return effect_of(program.isa, bundle).repeat is not None


NOTHING = CountedLoops({}, {}, ())


@cached_on_program
def counted_loops(program: Program) -> CountedLoops:
    """Return the loops of a program, none for a set that does not say what it counts with."""
    if not program.isa.counting.registers or not program.is_text or not program.size:
        return NOTHING
    graph = graph_of(program)
    return program.cache.whole("counted_loops", graph, lambda: _counted(graph))


def _counted(graph: Graph) -> CountedLoops:
    loops = Loops(graph, constants_of(graph))
    functions = [_function(start, loops.path(start)) for start in graph.starts]
    return CountedLoops(loops.counted, loops.ranges, functions)


def _function(start: int, path: Path) -> FunctionCycles:
    return FunctionCycles(start, path.issued, path.at)
