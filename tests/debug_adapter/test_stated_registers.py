"""What comments and `[kernel."GLOB"]` state of registers means the same in all tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Callable

import pytest

from ipu_asm.cli.mca import command as mca
from ipu_asm.cli.run import command as run_command
from ipu_asm.testbench import Bench
from tests.cli.commands import run
from tests.debug_adapter.client import DapClient

LOOP = "add lr1 lr9 cr4;;\nagain: incr lr0 1;;\nbne lr0 lr1 again;;\nbkpt;;\n"
COMMENT = "# CR cr4 = 3, lr9 = 2\n"
TOML = '[kernel."*.s"]\ncr = {4 = 5}\nlr = {9 = 2}\n'
RUN = '[kernel."*.s".run]\ncr = {4 = 1}\n'

CASES = [
    # comment, ipu.toml, given cr4, the trips of the loop
    (COMMENT, "", None, 5),
    ("", TOML, None, 7),
    (COMMENT, TOML, None, 5),
    ("# CR cr4 = 4 | 8\n", TOML, None, 6),
    (COMMENT, "", 9, 11),
    ("", TOML, 9, 11),
    ("# CR lr9 = 1\n", TOML, 0, 1),
]


def kernel(folder: Path, comment: str, toml: str) -> Path:
    path = folder / "k.s"
    path.write_text(comment + LOOP)
    if toml:
        (folder / "ipu.toml").write_text(toml)
    return path


def of_mca(path: Path, given: list[str]) -> int:
    ran = run(mca.main, [str(path), "--format", "json", *given])
    return int(json.loads(ran.out)["cycles"])


def of_run(path: Path, given: list[str]) -> int:
    return int(json.loads(run(run_command.main, [str(path), "--json", *given]).out)["cycles"])


def of_session(path: Path, given: list[str]) -> int:
    script = path.with_name("commands")
    script.write_text("continue\n")
    options = ["--commands", str(script), "--print", "cycle", *given]
    out = run(run_command.main, [str(path), *options]).out
    return int(next(line for line in out.splitlines() if line.endswith("cycles")).split()[0])


def of_bench(path: Path, given: list[str]) -> int:
    bench = Bench()
    if given:
        bench.cr[4] = int(given[1].partition("=")[2])
    bench.load(path)
    return bench.run().cycles


TOOLS: list[Callable[[Path, list[str]], int]] = [of_mca, of_run, of_session, of_bench]


@pytest.mark.parametrize(("comment", "toml", "given", "trips"), CASES)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_stated_register_is_the_same_in_every_tool(
    tool: Callable[[Path, list[str]], int],
    comment: str,
    toml: str,
    given: int | None,
    trips: int,
    tmp_path: Path,
) -> None:
    path = kernel(tmp_path, comment, toml)
    options = [] if given is None else ["--cr", f"4={given}"]
    assert tool(path, options) == 2 + 2 * trips


@pytest.mark.parametrize(("comment", "toml", "given", "trips"), CASES)
def test_the_debug_adapter_agrees(
    client: DapClient, comment: str, toml: str, given: int | None, trips: int, tmp_path: Path
) -> None:
    launch = {} if given is None else {"cr": {"4": given}}
    client.start(kernel(tmp_path, comment, toml), **launch)
    client.stopped()
    assert client.evaluate("lr0", "clipboard").split()[0] == str(trips)


def test_a_run_of_the_project_counts_before_both(tmp_path: Path, client: DapClient) -> None:
    path = kernel(tmp_path, COMMENT, TOML + RUN)
    assert of_run(path, []) == 2 + 2 * 3
    client.start(path)
    client.stopped()
    assert client.evaluate("lr0", "clipboard").split()[0] == "3"


def test_a_run_says_what_it_took_from_where(tmp_path: Path) -> None:
    path = kernel(tmp_path, "# a kernel\n# CR cr4 = 3 | 4\n", TOML)
    ran = run(run_command.main, [str(path), "--json"])
    assert ran.err == (
        "ipu-run: note: cr4 = 3 (the first of 3 | 4) from the comment in line 2, lr9 = 2 from "
        "ipu.toml (--no-found-inputs turns this off)\n"
    )
    assert json.loads(ran.out)["found_inputs"] == [
        {"register": "cr4", "value": 3, "origin": "comment", "row": 2},
        {"register": "lr9", "value": 2, "origin": "ipu.toml", "row": None},
    ]


def test_found_inputs_can_be_turned_off(tmp_path: Path) -> None:
    path = kernel(tmp_path, COMMENT, TOML + RUN)
    options = ["--no-found-inputs", "--cr", "4=1", "--json"]
    ran = run(run_command.main, [str(path), *options])
    assert (ran.err, json.loads(ran.out)["cycles"]) == ("", 4)


def test_what_was_assigned_in_a_test_stays_when_a_kernel_is_loaded(tmp_path: Path) -> None:
    bench = Bench()
    bench.lr[9] = 0
    bench.state.regfile.set_cr(4, 7)
    bench.load(kernel(tmp_path, COMMENT, ""))
    assert (bench.cr[4], bench.lr[9]) == (7, 0)


def test_a_kernel_does_not_leave_its_registers_to_the_next_one() -> None:
    bench = Bench()
    bench.load_text(COMMENT + LOOP)
    bench.load_text("# CR cr5 = 1\nbkpt;;")
    assert (bench.cr[4], bench.lr[9], bench.cr[5]) == (0, 0, 1)
