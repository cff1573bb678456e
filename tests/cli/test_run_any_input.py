"""Whatever program comes in, `ipu-run` ends as it should and its files can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.cli.run.command import main
from tests.cli.commands import Ran, give_input, run

PIECES = st.sampled_from(
    (
        b"acc|acc.frist|set lr0 5|incr lr1 0|b x|x:|bkpt|;|;;|;;\n|\n|\r\n|\r| |# isa: |ipu"
        b"|0x12|abc|\0|\x0c|\xff|\xff\xfe|\xef\xbb\xbf|\xe2\x80\xa8|\xf0\x9f\x98\x80|break|7:"
    ).split(b"|")
)
BYTES = st.lists(PIECES | st.binary(max_size=4), max_size=30).map(b"".join)
WORDS = st.lists(st.integers(0, (1 << 179) - 1), min_size=1, max_size=20)


def check_any(data: bytes, options: str) -> Ran:
    """The program from standard input is run or refused; if it is run, all outputs are there."""
    arguments = f"- --isa ipu --max-cycles 50 --json {options}".split()
    with pytest.MonkeyPatch.context() as monkeypatch:
        give_input(monkeypatch, data)
        ran = run(main, arguments)
    assert ran.status in (0, 1) or "UTF-16" in ran.err, ran.err
    outputs = [name for name in arguments if name.startswith("out.")]
    assert [Path(name).exists() for name in outputs] == [bool(ran.out)] * len(outputs)
    if ran.out:
        result = json.loads(ran.out)
        assert (ran.status == 0) == (result["stopped"] in ("halted", "break"))
        assert 0 <= result["cycles"] <= 50
    else:
        assert ran.status
        assert ran.err
    return ran


@given(data=BYTES)
def test_any_bytes_are_run_or_refused(data: bytes) -> None:
    check_any(data, "--break")


@given(words=WORDS)
def test_any_words_have_a_trace_and_a_profile(words: list[int]) -> None:
    image = b"".join(word.to_bytes(24, "little") for word in words)
    ran = check_any(image, "--format bin --trace out.trace --profile out.json")
    cycles = json.loads(ran.out)["cycles"]
    profile = json.loads(Path("out.json").read_text())
    assert profile["cycles"] == sum(bundle["cycles"] for bundle in profile["bundles"]) == cycles
    assert json.loads(Path("out.trace").read_text())["otherData"]["cycles"] == cycles
    for name in ("out.json", "out.trace"):
        Path(name).unlink()


PARTS = (
    "@ : , 0 1 7 0x10 20x128 i8 f32 fp8 e4m3 zeros ramp random random:3 a.npy a.npz [a] - lr0 r0"
    " acc xmem pc cycle loop ( ) [ ] .. + == ? sum"
)
TEXTS = st.lists(st.sampled_from(PARTS.split()) | st.text(max_size=3), max_size=9).map("".join)


@given(
    option=st.sampled_from(
        ("--load", "--dump", "--expect", "--print", "--until", "--load-state", "--cr")
    ),
    text=TEXTS,
)
def test_any_text_for_an_option_is_taken_or_refused(option: str, text: str) -> None:
    Path("loop.s").write_text("loop: incr lr0 1; bne lr0 lr1 loop;;\nbkpt;;\n")
    ran = run(main, ["loop.s", "-W", "--lr", "1=5", f"{option}={text}"])
    assert ran.status in (0, 1, 2)
    assert bool(ran.err) or ran.status == 0
