"""What is offered at a cursor: `$0` in the expressions here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.expressions import Candidate, ExpressionError, LiveContext, complete, evaluate
from ipu_asm.emulator import IpuState

LABELS = {"loop": 3, "outer": 2, "lr9": 1, "rows": 7, "Acc": 5}
NAMES = {"rows": "lr5 + 1", "window": "r0[0..3]", "PC": "9"}


def machine(dtype: int = 0) -> LiveContext:
    state = IpuState()
    state.regfile.set_lr(12, -3)
    state.set_cr_dtype(dtype)
    return LiveContext(state, 7, LABELS, NAMES)


def check_completion(written: str) -> list[Candidate]:
    """What is offered where `$0` stands, all of it for the word there."""
    text, offset = written.replace("$0", ""), written.index("$0")
    found = complete(machine(), text, offset)
    for candidate in found:
        assert candidate.start <= offset <= candidate.start + candidate.length <= len(text)
        assert text[candidate.start : offset].lower() in candidate.text.lower()
        assert candidate.detail.isprintable()
    return found


def texts(written: str) -> list[str]:
    return [candidate.text for candidate in check_completion(written)]


@pytest.mark.parametrize(
    ("written", "first"),
    [
        ("lr1$0", ["lr1", "lr10", "lr11", "lr12", "lr13", "lr14", "lr15"]),
        ("LR12$0", ["lr12"]),
        ("lr5 + ou$0", ["outer", "count", "nan_count"]),
        ("1 < wi$0", ["window"]),
        ("not ro$0", ["rows"]),
        ("r0[loo$0", ["loop"]),
        ("xmem[cr0 .. +wind$0", ["window"]),
        ("sum(r0, wi$0)", ["window"]),
        ("[1, wi$0", ["window"]),
        ("lr5 ? wi$0", ["window"]),
        ("lr5 ? 1 : wi$0", ["window"]),
        ("lr5 = wi$0", ["window"]),
        ("wi$0dow + 1", ["window"]),
        ("ma$0", ["mask", "max", "r_mask", "argmax"]),
        ("XM$0", ["xmem"]),
        ("la$0", ["label"]),
        ("label(lr$0", ["lr9"]),
        ("label($0", ["loop", "outer", "lr9", "rows", "Acc"]),
    ],
)
def test_values_are_offered_where_one_is_due(written: str, first: list[str]) -> None:
    assert texts(written) == first


@pytest.mark.parametrize("written", ["r0[0..7 : f$0", "r0[lr1 ? 1 : 2 : f$0"])
def test_types_are_offered_behind_the_colon_in_brackets(written: str) -> None:
    assert texts(written) == ["f32", "fp8", "float32", "fp8_e4m3", "fp8_e5m2"]


def test_formats_are_offered_behind_a_comma() -> None:
    assert texts("lr5,$0")[:6] == ["d", "u", "x", "o", "b", "i8"]
    assert texts("sum(r0, r1),u$0")[:4] == ["u", "u8", "u16", "u32"]


@pytest.mark.parametrize(
    "written",
    ["lr5 $0", "lr5 l$0", "0x1f$0", "12$0", "r0[1]l$0", "(1)l$0", "r0[1, l$0", "a : l$0", "zz$0",
     "label(1)l$0"],
)  # fmt: skip
def test_nothing_is_offered_where_no_word_fits(written: str) -> None:
    assert texts(written) == []


@pytest.mark.parametrize(
    ("text", "kind", "detail", "dtype"),
    [
        ("lr12", "register", "-3 (0xfffffffd)", 0),
        ("cycle", "register", "7", 0),
        ("r0", "register", "128 elements, i8", 0),
        ("acc", "register", "128 elements, f32", 2),
        ("mask", "register", "8 masks of 128 bits", 0),
        ("xmem", "register", "the memory, 0x200000 bytes", 0),
        ("window", "name", "`r0[0..3]`", 0),
        ("loop", "label", "bundle 3", 0),
        ("sum", "function", "the sum of all values", 0),
        ("i16", "type", "signed 16-bit integer", 0),
        ("u8", "type", "unsigned 8-bit integer", 0),
        ("f32", "type", "32-bit float", 0),
        ("fp8", "type", "8-bit float, e4m3: cr15 selects none", 0),
        ("fp8", "type", "8-bit float, e5m2: the one that cr15 selects", 2),
        ("int8", "name", "what `dtype` is compared with: 0", 0),
        ("true", "name", "the value true", 0),
    ],
)
def test_each_candidate_says_what_it_is(text: str, kind: str, detail: str, dtype: int) -> None:
    found = {candidate.text: candidate for candidate in complete(machine(dtype), "", 0)}
    assert found[text] == Candidate(text, 0, 0, kind, detail)


def test_formats_and_other_names_of_types_say_what_they_are() -> None:
    found = {candidate.text: candidate for candidate in check_completion("acc,$0")}
    assert found["x"] == Candidate("x", 4, 0, "format", "hexadecimal")
    assert found["int8"] == Candidate("int8", 4, 0, "format", "the same as i8")


def test_what_another_name_hides_is_not_offered() -> None:
    found = [candidate for candidate in check_completion("$0") if candidate.kind != "register"]
    assert [c.kind for c in found if c.text == "rows"] == ["name"]
    assert {"lr9", "Acc", "PC"} & {candidate.text for candidate in found} == set()


PIECES = st.sampled_from(
    ["lr0", "acc", "lo", "xmem", "label", "(", ")", "[", "]", ",", ":", "?", "..", "+", "-", "=",
     "not ", "and ", "1", "0x", "1.5", " ", "$", "{", "\n", "٣", "é", "rows", "wind"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=20).map("".join) | st.text(max_size=40), st.integers(-5, 200))
def test_any_text_can_be_completed_anywhere(text: str, offset: int) -> None:
    held = max(0, min(offset, len(text)))
    check_completion(f"{text[:held]}$0{text[held:]}".replace("$0$0", "$0"))
    assert complete(machine(), text, offset) == complete(machine(), text, held)


@pytest.mark.parametrize("before", ["", "1 + ", "[1, ", "r0[0 .. +", "lr1 ? 2 : ("])
def test_what_is_offered_for_a_value_is_known(before: str) -> None:
    for candidate in complete(machine(), before, len(before)):
        if candidate.kind in ("register", "label", "name"):
            text = f"{candidate.text}[0]" if candidate.text == "xmem" else candidate.text
            assert evaluate(machine(), text).text()
        else:
            with pytest.raises(ExpressionError, match="takes its argument in parentheses"):
                evaluate(machine(), candidate.text)


@pytest.mark.parametrize(
    "text", ["(" * 1_000_000, "l" * 1_000_000, "lr0 + " * 200_000, " " * 10**6]
)
def test_a_huge_text_is_completed_soon(text: str) -> None:
    found = complete(machine(), text, len(text))
    assert all(candidate.start + candidate.length == len(text) for candidate in found)
    assert len(found) < 200
