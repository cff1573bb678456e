"""What editors are told of kernel tests, and how a debugger repeats a failed one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ipu_asm.assembler.kernel import read_kernel
from ipu_asm.emulator import Ipu, IpuState

ROOT = Path(__file__).resolve().parents[2]
KERNEL = """\
    ldr_mult_reg r0 lr0 cr0;;
    mult.ee r0 lr0 lr0 lr0; acc.first;;
    str_acc_reg lr1 cr1;;
    bkpt;;
"""
TEST = """\
import numpy as np
import pytest

def test_plain(): pass

class TestSquares:
    @pytest.mark.parametrize("right", [16, 17])
    def test_squares(self, ipu, right):
        ipu.load("square.s")
        ipu.cr[1] = 0x1000
        ipu.put(0, np.full(128, 4, np.int8))
        ipu.r_cyclic = np.ones(512, np.int8)
        ipu.run()
        ipu.assert_bit_exact(ipu.get(0x1000, 128, np.int32), np.full(128, right, np.int32))

def test_faults(ipu):
    ipu.load("square.s")
    ipu.put(0, np.full(128, 4, np.int8))
    ipu.cr[1] = 0x200000
    ipu.run()

def test_skipped(ipu):
    pytest.skip("not now")
"""

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def only_this_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs have our plugins and no other, whether the project is installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def told(pytester: pytest.Pytester, *arguments: str, test: str = TEST) -> list[dict[str, Any]]:
    """The events of a run of pytest."""
    pytester.path.joinpath("square.s").write_text(KERNEL, encoding="utf-8")
    pytester.makepyfile(test_squares=test)
    plugins = ("ipu_asm.testbench.pytest_plugin", "ipu_asm.testbench.editor_events")
    options = [option for name in plugins for option in ("-p", name)]
    pytester.runpytest_subprocess(*options, "--ipu-events=events", *arguments)
    lines = pytester.path.joinpath("events").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_tests_with_the_fixture_are_collected_and_broken_files_told(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(test_broken="import nothing_of_this_name")
    events = told(pytester, "--collect-only", "-q")
    assert events[0] == {"event": "session", "root": str(pytester.path)}
    collected = [each for each in events if each["event"] == "collected"]
    assert [each["names"][1:] for each in collected] == [
        ["TestSquares", "test_squares[16]"],
        ["TestSquares", "test_squares[17]"],
        ["test_faults"],
        ["test_skipped"],
    ]
    assert collected[0]["id"] == "test_squares.py::TestSquares::test_squares[16]"
    assert [each["line"] for each in collected] == [7, 7, 16, 22]
    (error,) = (each for each in events if each["event"] == "error")
    assert error["file"] == str(pytester.path / "test_broken.py")
    assert "nothing_of_this_name" in error["message"]


@pytest.mark.parametrize("workers", [(), ("-p", "xdist.plugin", "-n", "1")], ids=["one", "xdist"])
def test_a_failure_has_its_places_and_what_repeats_its_run(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    events = told(pytester, *workers)
    ended = {each["id"].split("::")[-1]: each for each in events if each["event"] == "ended"}
    assert {name: each["outcome"] for name, each in ended.items()} == {
        "test_squares[16]": "failed",
        "test_squares[17]": "failed",
        "test_faults": "failed",
        "test_skipped": "skipped",
    }
    # The cyclic register is set by the test: no launch can say that.
    assert ended["test_squares[16]"]["replay"] is None
    wrong = ended["test_squares[16]"]["messages"]
    assert (Path(wrong[0]["file"]).name, wrong[0]["line"]) == ("test_squares.py", 14)
    assert wrong[0]["text"].startswith("element 0: expected 16")
    fault = ended["test_faults"]
    assert [(Path(each["file"]).name, each["line"]) for each in fault["messages"]] == [
        ("test_squares.py", 20),
        ("square.s", 3),
    ]
    assert fault["replay"]["cycle"] == 2
    launch = fault["replay"]["launch"]
    assert launch["program"] == str(pytester.path / "square.s")
    assert launch["cr"] == {"1": 0x200000}
    assert Path(launch["load"][0]["file"]).read_bytes() == bytes([4]) * 128


def test_the_cycle_is_that_of_the_instruction_that_wrote_the_first_wrong_element(
    pytester: pytest.Pytester,
) -> None:
    test = re.sub(r"^ *ipu.r_cyclic = .*\n", "", TEST, flags=re.M)
    events = told(pytester, "-k", "16", test=test)
    (ended,) = (each for each in events if each["event"] == "ended")
    assert ended["replay"]["cycle"] == 1
    place = ended["messages"][1]
    assert (Path(place["file"]).name, place["line"]) == ("square.s", 2)
    kernel = read_kernel(KERNEL.encode(), "square.s")
    state = IpuState()
    state.load_program(kernel.words)
    Ipu(state).run(ended["replay"]["cycle"])
    assert state.program_counter == 1
