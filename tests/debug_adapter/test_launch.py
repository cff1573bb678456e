"""What a launch configuration says."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from ipu_asm.assembler.encode import assemble
from ipu_asm.assembler.images import encode_image
from ipu_asm.isa import load_isa
from tests.debug_adapter.client import THREAD, DapClient, Rejected
from tests.debug_adapter.programs import ENDLESS, LOOP
from tests.docs.commands import ROOT

STORE = "set lr1 64;;\nstr_acc_reg lr1 cr0;;\nbkpt;;\n"


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


def test_a_running_program_can_be_restarted(client: DapClient) -> None:
    client.start(ENDLESS)
    client.request("restart")
    assert client.events_named("continued") == []
    client.request("pause", threadId=THREAD)
    assert client.stopped()["reason"] == "pause"


def test_a_failed_restart_of_a_running_program_lets_it_run(client: DapClient) -> None:
    client.start(ENDLESS)
    client.program.unlink()
    with pytest.raises(Rejected, match="no such file"):
        client.request("restart")
    client.request("pause", threadId=THREAD)
    assert client.stopped()["reason"] == "pause"
    assert int(client.evaluate("cycle").split()[0]) > 0


def test_an_example_without_its_project_runs_to_its_end(client: DapClient, tmp_path: Path) -> None:
    program = tmp_path / "fully_connected.s"
    shutil.copy(ROOT / "examples" / program.name, program)
    client.start(program)
    assert "halted" in client.stopped()["description"]
    assert client.evaluate("sum(xmem[0x40000..0x409ff : i32]) != 0", "clipboard") == "true"
