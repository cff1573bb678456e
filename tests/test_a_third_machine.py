"""The machine of `docs/adding-an-instruction-set.md`, run by every tool that runs programs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Iterator

import numpy as np
import pytest

import ipu_asm.targets
from ipu_asm.assembler.encode import assemble, disassemble
from ipu_asm.cli.run import command
from ipu_asm.debugger.breakpoints import Breakpoint, DataBreakpoint
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import ExpressionError, assign_with, evaluate
from ipu_asm.debugger.expressions.program_names import live_context
from ipu_asm.debugger.inspection import Inspector
from ipu_asm.debugger.queries import LastWrite, last_write
from ipu_asm.debugger.regions import regions_of
from ipu_asm.emulator import ExecutionFault, machine_for
from ipu_asm.emulator.stops import StopReason
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable
from ipu_asm.testbench import Bench

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "adding-an-instruction-set.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^`(\S+)`:\n\n(`{3,})\w+\n(.*?)^\2$", re.S | re.M)
FILES = {match[1]: match[3] for match in _BLOCK.finditer(PAGE)}
TEXT = FILES["double.tiny"]
NUMBERS = bytes(range(16))


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The folder of the page among the folders of instruction sets, and files to run."""
    folder = tmp_path / "sets"
    for name, text in FILES.items():
        if name.startswith("ipu_asm/targets/tiny/"):
            path = folder / name.removeprefix("ipu_asm/targets/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(ipu_asm.targets, "__path__", [*ipu_asm.targets.__path__, str(folder)])
    monkeypatch.chdir(tmp_path)
    Path("double.tiny").write_text(TEXT, encoding="utf-8")
    Path("numbers.bin").write_bytes(NUMBERS)
    yield
    for module in [name for name in sys.modules if name.startswith("ipu_asm.targets.tiny")]:
        del sys.modules[module]


def debugger() -> Debugger:
    """A debugger in front of the first bundle."""
    program = read_program(load_isa("tiny"), TEXT)
    state = machine_for("tiny").State()
    state.load_program(assemble(TEXT, isa="tiny"))
    state.xmem.write_address(32, NUMBERS)
    return Debugger(LineTable(program), state)


def check_run(arguments: str, status: int = 0) -> None:
    """The command ends with a status."""
    try:
        found = command.main(arguments.split())
    except SystemExit as end:
        found = int(end.code or 0)
    assert found == status


def test_its_words_assemble_back() -> None:
    words = assemble(TEXT, isa="tiny")
    assert assemble(disassemble(words, isa="tiny"), isa="tiny") == words


def test_ipu_run_loads_runs_and_dumps(capsys: pytest.CaptureFixture[str]) -> None:
    check_run(
        "double.tiny --load numbers.bin@32 --dump out.bin@32:16 --json --state "
        "--trace trace.json --profile profile.json"
    )
    assert Path("out.bin").read_bytes() == bytes(8 * number for number in NUMBERS)
    result = json.loads(capsys.readouterr().out)
    assert (result["cycles"], result["pc"], result["dtype"]) == (6, 64, "int8")
    assert result["registers"] == {"n0": 32, "n1": 0, "n2": 0, "n3": 0}
    assert list(result["vectors"]) == ["v"]
    tracks = json.loads(Path("trace.json").read_text())["traceEvents"]
    assert {"vec", "go"} <= {event["args"].get("name") for event in tracks}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--dtype int8", "tiny has the options none, found --dtype"),
        ("--cr 3=1", "tiny has registers n (0 to 3), found cr3"),
        ("--load numbers.bin@4096", "xmem has 0x1000 bytes, found address 0x1000"),
    ],
)
def test_what_it_does_not_have_is_wrong_usage(
    capsys: pytest.CaptureFixture[str], options: str, message: str
) -> None:
    check_run(f"double.tiny {options}", 2)
    assert message in capsys.readouterr().err


def test_the_bench_changes_to_its_machine_and_keeps_the_memory() -> None:
    bench = Bench()
    bench.put(32, np.frombuffer(NUMBERS, np.int8))
    bench.load("double.tiny")
    run = bench.run()
    assert (run.cycles, run.halted_by) == (6, "stop")
    bench.assert_bit_exact(bench.get(32, 16, "int8"), [8 * number for number in NUMBERS])
    bench.assert_bit_exact(bench.v, [8 * number for number in NUMBERS])
    bench.v = bytes(16)
    assert not bench.v.any()
    with pytest.raises(AttributeError, match="a vector register of tiny is one of v"):
        bench.r0  # noqa: B018  # the IPU's
    with pytest.raises(ValueError, match="the options of tiny are no options, found `wide`"):
        bench.configure(wide="fp32")


def test_a_fault_leaves_the_state_of_before() -> None:
    bench = Bench(isa="tiny")
    bench.load_text("set n0 255;; loop n1 +0; load n1;; stop;;")
    bench.state.regfile.set_scalar("n", 1, 4090)
    with pytest.raises(ExecutionFault, match=r"must end within the 0x1000 bytes.*n1 = 0xffa"):
        bench.run()
    assert (bench.state.program_counter, bench.state.regfile.scalars[1]) == (1, 4090)


def test_the_debugger_goes_back_in_time() -> None:
    machine = debugger()
    machine.breakpoints.set_at_bundles([Breakpoint(2)])
    watched = regions_of(machine.state).region("xmem", 40, 1)
    machine.breakpoints.set_at_data([DataBreakpoint(watched)])
    assert machine.start().reason is StopReason.BREAKPOINT
    context = live_context(machine.lines, machine.state)
    assert evaluate(context, "v[15]").text() == "15 (0x0f)"
    machine.continue_()
    assert evaluate(context, "sum(v)").value.number == 240
    machine.step_back()
    assert evaluate(context, "n1").text() == "3"
    machine.continue_()
    machine.continue_()
    at_end = machine.continue_()
    assert at_end.reason is StopReason.BKPT
    assert "`xmem[0x28..+1]` changed from 0x8 to 0x40" in at_end.description
    written = LastWrite(5, 3, "store n0")
    assert last_write(machine.runner, regions_of(machine.state).whole("xmem")) == written
    machine.go_to(2)
    assign_with(machine.edit, context, "v[0]", "-1")
    machine.breakpoints.set_at_bundles([])
    machine.continue_()
    assert evaluate(context, "xmem[32]").value.number == -8


def test_expressions_know_its_registers_alone() -> None:
    context = live_context(debugger().lines, debugger().state)
    with pytest.raises(ExpressionError, match="no register, label or name is called `lr0`"):
        evaluate(context, "lr0")
    with pytest.raises(ExpressionError, match="within the 0x1000 bytes of xmem"):
        evaluate(context, "xmem[0x1000]")
    assert evaluate(context, "again").value.number == 2


def test_its_registers_are_inspected() -> None:
    machine = debugger()
    context = live_context(machine.lines, machine.state)
    inspector = Inspector(machine.state, context, machine.lines)
    machine.go_to(2)
    inspector.update_after_stop(None, "step")
    scopes = {scope.name: scope.group for scope in inspector.scopes()}
    assert list(scopes) == ["n registers", "Vectors", "Memory map", "Machine"]
    counters = inspector.children(scopes["n registers"])
    assert [(item.name, item.value) for item in counters][:2] == [("n0", "32 (0x20)"), ("n1", "3")]
    assert [item.name for item in inspector.children(scopes["Machine"])][:2] == ["pc", "cycle"]
    assert [(info.name, info.type, info.elements) for info in inspector.vectors()] == [
        ("v", "int8", 16)
    ]
    assert inspector.vector_view("v").numbers == tuple(NUMBERS)
