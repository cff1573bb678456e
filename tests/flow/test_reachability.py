"""Where control goes, held against a walk that looks at one bundle at a time."""

from __future__ import annotations

from typing import Iterable, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.flow.control_flow import reachability_of
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program

ISA = load_isa("ipu")
BLANK = "  # nothing but a comment\n"


class Control(NamedTuple):
    """How one bundle goes on: `distance` is that of its branch."""

    kind: str
    distance: int

    def text(self) -> str:
        """The bundle in assembly."""
        mnemonics = {
            "none": "acc",
            "break": "break",
            "branch": f"bne lr0 lr1 {self.distance:+}",
            "never": f"acc; bne lr3 LR3 {self.distance:+}",
            "jump": f"b {self.distance:+}",
            "indirect": "br lr0",
            "halt": "bkpt; acc",
        }
        return f"{mnemonics[self.kind]};;\n"

    def ways(self, address: int, certain: bool) -> list[int]:
        """Where it can go, or where it certainly can."""
        if certain and self.kind == "never":
            return []
        target = [address + self.distance] if self.kind in ("branch", "never", "jump") else []
        falls = self.kind in ("none", "break", "branch", "never")
        return target + [address + 1] * falls


CONTROLS = st.builds(
    Control,
    st.sampled_from(["none"] * 4 + ["break", "branch", "branch", "never", "jump", "halt"]),
    st.integers(-4, 4),
)


def check_flow(controls: list[Control]) -> None:
    """Reachable and certain addresses, and the ways out, are those of a simple walk."""
    kept = [
        control if address + control.distance >= 0 else Control("halt", 0)
        for address, control in enumerate(controls)
    ]
    flow = reachability_of(read_program(ISA, BLANK + "".join(control.text() for control in kept)))
    assert flow.known == all(control.kind != "indirect" for control in kept)
    certain = walk(kept, certain=True)
    possible = walk(kept, certain=False) if flow.known else set(range(len(kept)))
    assert {address for address, one in enumerate(flow.reachable) if one} == possible
    assert {address for address, one in enumerate(flow.certain) if one} == certain
    assert {(step.origin, step.target) for step in flow.leaving} == {
        (address, way)
        for address in certain
        for way in kept[address].ways(address, certain=True)
        if way >= len(kept)
    }


def walk(controls: list[Control], *, certain: bool) -> set[int]:
    """The addresses that can be reached from 0, one step at a time."""
    seen: set[int] = set()
    waiting = [0]
    while waiting:
        address = waiting.pop()
        if address in seen or address >= len(controls):
            continue
        seen.add(address)
        waiting += controls[address].ways(address, certain)
    return seen


def names(text: str) -> list[str]:
    return [finding.name for finding in analyze(text).diagnostics]


@given(st.lists(CONTROLS, max_size=12))
def test_flow_is_that_of_a_simple_walk(controls: list[Control]) -> None:
    check_flow(controls)


@given(st.lists(CONTROLS, max_size=6), st.lists(CONTROLS, max_size=6))
def test_behind_an_indirect_branch_nothing_is_certain(
    before: Iterable[Control], after: Iterable[Control]
) -> None:
    check_flow([*before, Control("indirect", 0), *after])


def test_a_long_straight_program_is_reached_to_its_end() -> None:
    check_flow([Control("none", 0)] * 1000)
    check_flow([Control("branch", 1)] * 1000)
    check_flow([Control("jump", 2)] * 1000)


def test_what_does_not_fit_into_memory_is_not_looked_at() -> None:
    flow = reachability_of(read_program(ISA, "acc;;\n" * 3000))
    assert len(flow.reachable) == len(flow.certain) == ISA.program_limit


def test_a_broken_bundle_leaves_everything_open() -> None:
    for broken in ("ac;;", "acc; acc;;", "acc; $;;", "b;;", "b nowhere; b +1;;"):
        flow = reachability_of(read_program(ISA, f"bkpt;; acc;; {broken}"))
        assert not flow.known
        assert set(flow.reachable) == {1}
        assert set(flow.certain) == {0}
        assert flow.leaving == ()


def test_an_undefined_label_leaves_open_what_it_may_lead_to() -> None:
    flow = reachability_of(read_program(ISA, "beq lr0 lr1 nowhere;; acc;; bkpt;; acc;;"))
    assert not flow.known
    assert list(flow.certain) == [1, 1, 1, 0]


def test_programs_without_bundles_have_no_flow() -> None:
    for text in ("", "# nothing", "\ufeff", "end:"):
        assert reachability_of(read_program(ISA, text)).reachable == b""
    assert "unreachable-bundle" not in names("")
