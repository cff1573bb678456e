"""Launches and tests say which registers the host of a kernel sets; nothing is executed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.config.host_search import host_configurations

LAUNCH = """{
    // the kernels
    "configurations": [
        {"type": "ipu", "name": "any", "program": "${file}", "cr": {"0": 1}},
        {"type": "python", "program": "${workspaceFolder}/kernels/a.s", "cr": {"0": 2}},
        {"type": "ipu", "name": "of // a", "program": "${workspaceFolder}/kernels/a.s",
         "cr": {"3": 0x}, },
    ],
}"""


def check(folder: Path, *expected: tuple[str, dict[str, int]]) -> None:
    """The configurations of `kernels/a.s` in a folder: their origins and values."""
    found = host_configurations(str(folder / "kernels" / "a.s"), str(folder))
    assert [(each.origin, dict(each.values)) for each in found] == list(expected)


def written(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_launches_of_the_program_come_before_those_of_any_file(tmp_path: Path) -> None:
    text = LAUNCH.replace("0x}", '"0x4000", "cr4": 64, "x": 1, "5": true}')
    written(tmp_path, ".vscode/launch.json", text)
    ours = ("launch configuration of // a", {"cr3": 0x4000, "cr4": 64})
    check(tmp_path, ours, ("launch configuration any", {"cr0": 1}))


@pytest.mark.parametrize("text", [LAUNCH, "[" * 100_000, "[]", '{"configurations": {}}', "\x00"])
def test_a_launch_file_that_is_none_says_nothing(tmp_path: Path, text: str) -> None:
    written(tmp_path, ".vscode/launch.json", text)
    check(tmp_path)


def test_numbers_in_a_test_that_loads_the_kernel_count(tmp_path: Path) -> None:
    test = """
ROWS = 4

def test_a(ipu):
    ipu.load("a.s")
    ipu.cr[3] = 0x4000
    ipu.cr[0:3] = 0, ROWS, -1
    ipu.lr[5] = 2 * 128 + 1
    ipu.cr[6] = ROWS
    ipu.cr[7] = ipu.cr[8] = 1
    ipu.cr[9] = 1 << 40

def test_b(ipu):
    run("kernels/a.s", cr={1: 7, "cr2": 8, ROWS: 9}, lr={})

def test_other(ipu):
    ipu.load("b.s")
    ipu.cr[3] = 1
"""
    written(tmp_path, "tests/test_a.py", test)
    first = {"cr3": 0x4000, "cr0": 0, "cr2": -1, "lr5": 257}
    check(tmp_path, ("test_a.py:4", first), ("test_a.py:13", {"cr1": 7, "cr2": 8}))


@pytest.mark.parametrize("name", ["a.py", "tests/deep/test_a.py", "../test_a.py", "test_a.txt"])
def test_other_files_are_no_tests_of_the_folder(tmp_path: Path, name: str) -> None:
    written(tmp_path / "project", name, 'def test(ipu): ipu.load("a.s"); ipu.cr[0] = 1')
    check(tmp_path / "project")


@pytest.mark.parametrize(
    "test",
    [
        'def test(ipu): ipu.load("a.s"); ipu.cr[0] = 1 +' + "1 +" * 5_000 + "1",
        'def test(ipu): ipu.load("a.s"); ipu.cr[0] = ' + "(" * 3_000 + "1",
        'def test(ipu): ipu.load("a.s") ipu.cr[0] = 1',
        "# a.s\0",
    ],
)
def test_a_test_that_cannot_be_parsed_says_nothing(tmp_path: Path, test: str) -> None:
    written(tmp_path, "test_a.py", test)
    check(tmp_path)
