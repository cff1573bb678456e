"""What a launch configuration says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipu_asm.assembler.encode import assemble
from ipu_asm.assembler.images import encode_image
from ipu_asm.isa import load_isa
from tests.debug_adapter.client import THREAD, DapClient
from tests.debug_adapter.programs import AT_END, ENDLESS, FAULTY, LOOP

STORE = "set lr1 64;;\nstr_acc_reg lr1 cr0;;\nbkpt;;\n"
BREAKS = "set lr1 1;;\nbreak;;\nset lr1 2;;\nbkpt;;\n"


def check_values(client: DapClient, expected: dict[str, str], **configuration: Any) -> None:
    """What expressions are worth in front of the first bundle."""
    client.start(LOOP, stopOnEntry=True, **configuration)
    assert client.stopped()["reason"] == "entry"
    shown = {text: client.evaluate(text, "clipboard").split("  #")[0] for text in expected}
    assert {text: value.split()[0] for text, value in shown.items()} == expected


def end(client: DapClient) -> int:
    client.request("continue", threadId=THREAD)
    return client.ended()


def test_registers_begin_with_numbers_or_texts(client: DapClient) -> None:
    expected = {"cr0": "4096", "cr3": "-1", "cr4": "-2147483648", "lr2": "16", "lr15": "-2"}
    cr = {"0": 4096, "3": "0xffff_ffff", "cr4": "-0x80000000"}
    check_values(client, expected, cr=cr, lr={"2": "0b1_0000", "LR15": -2})


@pytest.mark.parametrize(
    ("dtype", "worth"), [("int8", 0), ("FP8_E4M3", 1), ("fp8_e5m2", 2), (1, 1)]
)
def test_the_element_type_is_what_cr15_holds(
    client: DapClient, dtype: str | int, worth: int
) -> None:
    check_values(client, {"cr15": str(worth), "dtype": str(worth)}, dtype=dtype, cr={"15": 7})


def test_files_are_loaded_from_the_folder_that_is_told(client: DapClient, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.bin").write_bytes(bytes(range(1, 9)))
    load = [
        {"file": "data/a.bin", "address": "0x100"},
        {"file": str(tmp_path / "data" / "a.bin"), "address": 0x200, "length": 2},
        {"file": "a.bin", "address": (1 << 21) - 8},
    ]
    os.symlink(tmp_path / "data" / "a.bin", tmp_path / "a.bin")
    expected = {
        "xmem[0x107 : u8]": "8",
        "xmem[0x201 : u8]": "2",
        "xmem[0x202 : u8]": "0",
        "xmem[0x1fffff : u8]": "8",
    }
    check_values(client, expected, load=load, cwd=str(tmp_path))


def test_without_a_folder_paths_begin_where_the_process_does(
    client: DapClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernel.s").write_text(LOOP, encoding="utf-8")
    client.initialize()
    client.request("launch", program="kernel.s", stopOnEntry=True)
    client.configured()
    client.stopped()
    assert client.frame()["source"]["path"] == str(tmp_path / "kernel.s")


def test_memory_is_dumped_once_the_machine_has_halted(client: DapClient, tmp_path: Path) -> None:
    dump = [{"file": "out.bin", "address": "64", "length": "0x4"}]
    client.start(STORE, 2, dump=dump, cwd=str(tmp_path))
    client.stopped()
    client.request("setExpression", expression="acc[0]", value="0x01020304")
    assert not (tmp_path / "out.bin").exists()
    client.step("continue")
    assert (tmp_path / "out.bin").read_bytes() == bytes([4, 3, 2, 1])
    told = [body["output"] for body in client.events_named("output")]
    assert told == [f"wrote {tmp_path / 'out.bin'} (4 bytes)\n"]
    assert end(client) == 0


def test_arrays_go_in_and_out_and_are_compared(client: DapClient, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", a=np.arange(128, dtype=np.int64), b=np.zeros(1))
    np.save(tmp_path / "good.npy", np.zeros((2, 64), np.int32))
    np.save(tmp_path / "bad.npy", np.zeros(128, np.int32) + (np.arange(128) == 5))
    client.start(
        STORE, cwd=str(tmp_path),
        load=[
            {"file": "in.npz[a]", "address": 0x1000, "dtype": "i8"},
            {"file": "random:7", "address": 0x2000, "length": "2x64"},
        ],
        dump=[{"file": "out.npy", "address": 0x1000, "length": "2x64", "dtype": "u8"}],
        expect=[{"file": "good.npy", "address": 64}, {"file": "bad.npy", "address": 64}],
    )  # fmt: skip
    client.stopped()
    assert np.load(tmp_path / "out.npy").tolist() == np.arange(128).reshape(2, 64).tolist()
    told = [body["output"] for body in client.events_named("output")]
    assert told[0] == f"wrote {tmp_path / 'out.npy'} (u8 2x64)\n"
    assert told[1] == f"as expected: {tmp_path / 'good.npy'}\n"
    first, second, *_ = told[2].split("\n")
    assert first.startswith(
        f"{tmp_path / 'bad.npy'}: element 5: expected 1 (0x00000001), found 0 (0x00000000); "
        "written by str_acc_reg "
    )
    assert second == "1 of 128 elements differ"


def test_another_way_to_the_halt_is_dumped_again(client: DapClient, tmp_path: Path) -> None:
    out = tmp_path / "out.bin"
    client.start(STORE, dump=[{"file": str(out), "address": 64, "length": 1}])
    client.stopped()
    assert out.read_bytes() == b"\0"
    client.step("stepBack")
    client.step("stepBack")
    client.request("setExpression", expression="acc[0]", value="5")
    client.step("continue")
    assert out.read_bytes() == b"\5"


def test_nothing_is_dumped_over_a_good_file_after_a_fault(
    client: DapClient, tmp_path: Path
) -> None:
    out = tmp_path / "out.bin"
    out.write_bytes(b"good")
    client.start(FAULTY, dump=[{"file": str(out), "address": 0, "length": 8}], **AT_END)
    assert client.stopped()["reason"] == "exception"
    assert end(client) == 1
    assert out.read_bytes() == b"good"


def test_stopping_on_entry_is_in_front_of_the_first_bundle(client: DapClient) -> None:
    client.start(BREAKS, 1, stopOnEntry=True)
    assert client.stopped()["reason"] == "entry"
    assert client.frame()["line"] == 1
    client.breakpoints()
    assert client.step("continue")["description"].startswith("stopped by break")


def test_a_run_stops_at_the_limit_and_ends_there(client: DapClient) -> None:
    client.start(ENDLESS, maxCycles="1_000")
    words, stopped = "stopped at the limit of 1,000 cycles", client.stopped()
    assert (stopped["reason"], stopped["text"]) == ("exception", words)
    assert client.request("exceptionInfo", threadId=THREAD)["exceptionId"] == "cycle-limit"
    assert client.step("stepBack")["reason"] == "step"
    assert client.evaluate("cycle").split()[0] == "999"
    assert client.step("continue")["reason"] == "exception"
    assert end(client) == 1
    assert client.events_named("output")[-1]["output"] == f"{words}; 1,000 cycles\n"


def test_one_can_step_on_beyond_the_limit(client: DapClient) -> None:
    client.start(ENDLESS, maxCycles=10)
    client.stopped()
    assert client.step("next")["reason"] == "step"
    assert client.evaluate("cycle").split()[0] == "11"
    assert client.step("continue")["reason"] == "exception"
    assert end(client) == 1


def test_a_program_that_is_not_debugged_stops_nowhere(client: DapClient) -> None:
    client.start(BREAKS, 1, 3, noDebug=True, stopOnEntry=True)
    assert client.ended() == 0
    assert client.events_named("stopped") == []


@pytest.mark.parametrize(
    ("text", "configuration"), [(FAULTY, AT_END), (ENDLESS, {"maxCycles": 1000})]
)
def test_a_program_that_is_not_debugged_and_cannot_go_on_ends(
    client: DapClient, text: str, configuration: dict[str, Any]
) -> None:
    client.start(text, noDebug=True, **configuration)
    assert client.ended() == 1
    assert client.events_named("stopped") == []


@pytest.mark.parametrize("image_format", ["bin", "hex", "mem"])
def test_an_image_is_shown_as_what_it_means(
    client: DapClient, tmp_path: Path, image_format: str
) -> None:
    image = tmp_path / f"kernel.{image_format}"
    image.write_bytes(encode_image(assemble(LOOP), load_isa("ipu"), image_format))
    client.launch(image)
    (source,) = client.request("loadedSources")["sources"]
    assert source["name"] == f"{image.name} (disassembled)"
    reference = source["sourceReference"]
    text = client.request("source", source=source, sourceReference=reference)["content"]
    lines = text.splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "incr lr5 2" in text)
    body = client.request("setBreakpoints", source=source, breakpoints=[{"line": line}])
    assert body["breakpoints"][0]["verified"] is True
    client.configured()
    client.stopped()
    frame = client.frame()
    assert (frame["line"], frame["source"]["sourceReference"]) == (line, reference)
    assert frame["instructionPointerReference"] == "0x3"


def test_a_damaged_image_faults_where_it_is_damaged(client: DapClient, tmp_path: Path) -> None:
    image = tmp_path / "kernel.hex"
    good, bad = assemble("set lr1 1;;\nbkpt;;\n")
    image.write_text(f"{good:#x}\n{bad | 15 << 109:#x}\n", encoding="ascii")
    client.start(image)
    stopped = client.stopped()
    assert (stopped["reason"], client.evaluate("cycle").split()[0]) == ("exception", "1")
    assert "opcode 15 stands for no instruction of slot acc" in stopped["text"]
    assert client.frame()["instructionPointerReference"] == "0x1"


def test_the_machine_option_shifts_what_aaq_clamps(client: DapClient) -> None:
    client.launch("aaq;;\nbkpt;;\n", aaqShift=4)
    client.request("setExpression", expression="acc[0]", value="0x123")
    client.configured()
    client.stopped()
    assert client.evaluate("aaq_result[0]").split()[0] == str(0x12)


def test_the_instruction_set_may_be_named(client: DapClient, tmp_path: Path) -> None:
    program = tmp_path / "kernel.S"
    program.write_text(LOOP, encoding="utf-8")
    client.start(program, isa="ipu", historyMemory=1)
    assert client.stopped()["reason"] == "breakpoint"


@pytest.mark.parametrize(
    ("given", "wide"), [({}, "2"), ({"wide": "off"}, "0"), ({"wide": "fp32"}, "1")]
)
def test_the_mode_is_that_of_the_program_unless_the_launch_states_one(
    client: DapClient, tmp_path: Path, given: dict[str, str], wide: str
) -> None:
    (tmp_path / "ipu.toml").write_text('isa = "ipu2"\n[kernel."*.s"]\nwide = "int32"\n')
    kernel = tmp_path / "kernel.s"
    kernel.write_text("BKPT;;\n")
    client.start(kernel, 1, stopOnEntry=True, **given)
    client.stopped()
    assert client.evaluate("wide") == wide


def test_a_launch_without_inputs_takes_those_of_the_project(
    client: DapClient, tmp_path: Path
) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(range(1, 9)))
    program = tmp_path / "k.s"
    program.write_text(LOOP)
    (tmp_path / "ipu.toml").write_text(
        '[kernel."k.s".run]\ndtype = "fp8_e4m3"\ncr = {3 = 7}\n'
        'load = ["a.bin@0x100", "ramp@0x200:2x8:u8"]\n'
    )
    client.start(program, stopOnEntry=True)
    client.stopped()
    shown = [client.evaluate(text, "clipboard") for text in ("cr3", "dtype", "xmem[0x107 : u8]")]
    assert [text.split()[0] for text in shown] == ["7", "1", "8"]
    told = [body["output"] for body in client.events_named("output")]
    assert f"Registers and data are those of {tmp_path / 'ipu.toml'}.\n" in told
