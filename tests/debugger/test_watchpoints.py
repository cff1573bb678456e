"""The names of what is watched: those that clients keep, and those that people read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.breakpoints import WatchTarget, target_at, target_from_id
from ipu_asm.debugger.expressions import LiveContext, evaluate
from ipu_asm.debugger.regions import COUNTER, Region
from ipu_asm.targets.ipu.machine.state import DTYPE, SCALAR_NAMES, IpuState
from tests.debugger.ipu_regions import SIZES, VIEW

CONTEXT = LiveContext(IpuState())


@st.composite
def watched(draw: st.DrawFn) -> WatchTarget:
    """Anything that can be watched, bits of masks too."""
    name = draw(st.sampled_from([*SIZES, "r_mask", "r_mask"]))
    size = min(SIZES[name], draw(st.sampled_from([1, 2, 3, 4, 8, 16, 64, 128, 512, 5_000])))
    start = draw(st.integers(0, SIZES[name] - size))
    if name != "r_mask" or draw(st.booleans()):
        return WatchTarget(Region(name, start, size))
    first = draw(st.integers(0, 127))
    bits = (1 << draw(st.integers(1, 128 - first))) - 1 << first % 8
    mask = 16 * draw(st.integers(0, 7))
    return WatchTarget(Region(name, mask + first // 8, -(-bits.bit_length() // 8)), bits)


@given(watched())
def test_a_name_for_clients_finds_it_again(each: WatchTarget) -> None:
    assert target_from_id(VIEW, each.id) == each


@given(watched(), st.sampled_from([0, 1, 2, 77]))
def test_a_name_for_people_is_an_expression_for_it(each: WatchTarget, dtype: int) -> None:
    CONTEXT.scalars[DTYPE] = dtype
    view = CONTEXT.view
    if each.location(view) is None:
        assert each.region.name in (*SCALAR_NAMES, COUNTER)
        assert each.region.size < SIZES[each.region.name]
        return
    location = evaluate(CONTEXT, each.name(view)).location
    assert location is not None
    assert target_at(VIEW, location) == each


@pytest.mark.parametrize(
    ("text", "where", "bits"),
    [("lr3", Region("lr3", 0, 4), None), ("mask[1][9]", Region("r_mask", 17, 1), 2),
     ("mask[1]", Region("r_mask", 16, 16), None), ("acc[2..3]", Region("r_acc", 8, 8), None),
     ("mask[0][6..17]", Region("r_mask", 0, 3), 0xFFF << 6)],
)  # fmt: skip
def test_a_place_is_watched_to_the_bit(text: str, where: Region, bits: int | None) -> None:
    location = evaluate(CONTEXT, text).location
    assert location is not None
    assert target_at(VIEW, location) == WatchTarget(where, bits)
