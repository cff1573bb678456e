"""What is said of a launch configuration, or a program, that is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from ipu_lsp.plain_text import plain
from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.programs import LOOP

WRONG = "incr lr1 1;;\nreset_ac;;\nset lr16 1;;\nb nowhere;;\n"


def refusal(client: DapClient, configuration: dict[str, Any]) -> Rejected:
    """What a configuration of any shape is refused with."""
    if not client.capabilities:
        client.initialize()
    with pytest.raises(Rejected) as caught:
        client.response(client.send("launch", configuration))
    return caught.value


def check_mistakes(client: DapClient, *mistakes: str, **configuration: Any) -> None:
    """The launch is refused with the first mistake, and all are told."""
    refused = refusal(client, configuration)
    told = [body["output"] for body in client.events_named("output")]
    assert told == [f"{mistake}\n" for mistake in mistakes]
    more = f" (and {len(mistakes) - 1} more: see the debug console)" if mistakes[1:] else ""
    assert str(refused) == mistakes[0] + more
    assert refused.response["body"]["error"]["showUser"] is True
    assert client.events_named("initialized") == []


def test_fields_of_the_client_are_nobodys_mistake(client: DapClient) -> None:
    others = {"type": "ipu", "request": "launch", "name": "x", "presentation": {}, "__session": 1}
    client.start(LOOP, **others)
    client.stopped()
    assert client.events_named("output") == []


def test_a_field_that_is_nearly_one_of_ours_is_spoken_of(client: DapClient) -> None:
    client.start(LOOP, stopOnentry=True)
    client.stopped()
    told = [body["output"] for body in client.events_named("output")]
    assert told == ["stopOnentry is ignored; did you mean stopOnEntry?\n"]


def test_all_mistakes_of_a_configuration_are_told_at_once(
    client: DapClient, tmp_path: Path
) -> None:
    (tmp_path / "kernel.s").write_text(LOOP, encoding="utf-8")
    (tmp_path / "big.bin").write_bytes(bytes(100))
    missing = tmp_path / "missing"
    check_mistakes(
        client,
        "noDebug is true or false, found 1",
        "isa is the name of an instruction set, found a list",
        "dtype is one of int8, fp8_e4m3, fp8_e5m2, found int4",
        "aaqShift is 0 to 0x1f, found 32",
        "cr has the registers 0 to 15, found 16",
        "cr.1 is a number such as 4096 or 0x1000, found 1.5",
        "cr.2 is -2147483648 to 0xffffffff, found 4294967296",
        "lr is an object such as {\"0\": 4096}, found a list",
        f"{missing}: no such file or directory",
        "load[1].address is 0 to 0x1fffff, found -1",
        f"{tmp_path / 'big.bin'}: xmem has 0x200000 bytes, found more than 1 byte for address "
        "0x1fffff",
        "load[3].address is a number such as 4096 or 0x1000, found none",
        "load[3].file is a path, found none",
        "dump is a list of objects, found an object",
        "stopOnHalt is true or false, found yes",
        "maxCycles is 1 or more, found 0",
        "historyMemory is a number such as 4096 or 0x1000, found lots",
        program="kernel.s", cwd=str(tmp_path), noDebug=1, isa=[], dtype="int4",
        cr={"16": 0, "1": 1.5, "2": 1 << 32}, lr=[0],
        load=[
            {"file": "missing", "address": 0},
            {"file": "big.bin", "address": -1},
            {"file": "big.bin", "address": 0x1FFFFF},
            {},
        ],
        dump={}, stopOnHalt="yes", maxCycles=0, aaqShift=32, historyMemory="lots",
    )  # fmt: skip


def test_what_cannot_be_dumped_is_told_before_the_run(client: DapClient, tmp_path: Path) -> None:
    (tmp_path / "kernel.s").write_text(LOOP, encoding="utf-8")
    check_mistakes(
        client,
        f"{tmp_path}: is a directory",
        f"{tmp_path / 'no' / 'out.bin'}: there is no folder {tmp_path / 'no'}",
        "dump[2] is an object, found out.bin",
        program="kernel.s", cwd=str(tmp_path),
        dump=[
            {"file": ".", "address": 0, "length": 1},
            {"file": "no/out.bin", "address": 0, "length": 1},
            "out.bin",
        ],
    )  # fmt: skip


@pytest.mark.parametrize("make", [Path.symlink_to, Path.hardlink_to])
def test_a_dump_never_replaces_an_input(
    client: DapClient, tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    program, data = tmp_path / "kernel.s", tmp_path / "data.bin"
    program.write_text(LOOP, encoding="utf-8")
    data.write_bytes(b"data")
    make(tmp_path / "one", program)
    make(tmp_path / "two", data)
    check_mistakes(
        client,
        f"{tmp_path / 'one'}: the dump would replace the input {program}",
        f"{tmp_path / 'two'}: the dump would replace the input {data}",
        program="kernel.s", cwd=str(tmp_path),
        load=[{"file": "data.bin", "address": 0}],
        dump=[{"file": name, "address": 0, "length": 8} for name in ("one", "two")],
    )  # fmt: skip
    assert (program.read_text(), data.read_bytes()) == (LOOP, b"data")


def test_no_more_of_a_file_is_read_than_fits(client: DapClient, tmp_path: Path) -> None:
    (tmp_path / "kernel.s").write_text(LOOP, encoding="utf-8")
    for name in ("long.bin", "long.s"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(3 << 30)
    check_mistakes(
        client,
        f"{tmp_path / 'long.s'}: expected at most 16,777,216 bytes, found more",
        f"{tmp_path / 'long.bin'}: xmem has 0x200000 bytes, found more than 2,097,152 bytes for "
        "address 0x0",
        "/dev/zero: not a regular file",
        program="long.s", cwd=str(tmp_path),
        load=[{"file": "long.bin", "address": 0}, {"file": "/dev/zero", "address": 0}],
    )  # fmt: skip


def test_data_that_cannot_be_used_are_told(client: DapClient, tmp_path: Path) -> None:
    (tmp_path / "kernel.s").write_text(LOOP, encoding="utf-8")
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY")
    check_mistakes(
        client,
        f"{tmp_path / 'x.npy'}: expected version 1.0, 2.0 or 3.0 of .npy, found none",
        "load[1].file: expected random:SEED such as random:7, found random:x",
        "load[2].length is needed for ramp, found none",
        "load[3].length is a length such as 4096 or 20x128, found 2x",
        "dump[0].file is a file to write, found ones",
        "dump[1].length is of at most 2,097,152 elements, found 4096x4096",
        "dump[2].dtype is a type such as i8, found i-8",
        "dump[2].length is a number such as 4096 or 0x1000, found none",
        program="kernel.s", cwd=str(tmp_path),
        load=[
            {"file": "x.npy", "address": 0},
            {"file": "random:x", "address": 0},
            {"file": "ramp", "address": 0},
            {"file": "ones", "address": 0, "length": "2x"},
        ],
        dump=[
            {"file": "ones", "address": 0, "length": 1},
            {"file": "y.npz", "address": 0, "length": "4096x4096"},
            {"file": "z.npy", "address": 0, "dtype": "i-8"},
        ],
    )  # fmt: skip


def test_an_array_of_another_type_is_told(client: DapClient, tmp_path: Path) -> None:
    (tmp_path / "kernel.s").write_text(LOOP, encoding="utf-8")
    np.save(tmp_path / "words.npy", np.ones(3, np.float32))
    check_mistakes(
        client,
        f"{tmp_path / 'words.npy'}: expected elements of int8, found float32; with the type i8 "
        "(@ADDR:i8) the values are converted, with f32 they are loaded as they are",
        program="kernel.s", cwd=str(tmp_path), load=[{"file": "words.npy", "address": 0}],
    )  # fmt: skip


def test_control_characters_in_a_mistake_are_visible(client: DapClient) -> None:
    refused = refusal(client, {"program": "/nowhere\x1b[31m\a"})
    assert str(refused) == "/nowhere␛[31m␇: no such file or directory"
    assert client.events_named("output")[0]["output"] == f"{refused}\n"


@pytest.mark.parametrize("dtype", ["fp9", "{dtype}", "}{", "{reason}"])
def test_a_client_that_fills_in_the_format_shows_the_sentence(
    client: DapClient, tmp_path: Path, dtype: str
) -> None:
    (tmp_path / "kernel.s").write_text(LOOP, encoding="utf-8")
    refused = refusal(client, {"dtype": dtype, "program": str(tmp_path / "kernel.s")})
    error = refused.response["body"]["error"]
    filled = re.sub(r"\{(\w+)\}", lambda name: error["variables"][name[1]], error["format"])
    assert filled == str(refused)
    assert plain(f"found `{dtype}`") in filled


def test_a_client_that_shows_the_format_as_it_is_shows_the_sentence(client: DapClient) -> None:
    refused = refusal(client, {"dtype": "fp9", "program": "kernel.s"})
    assert refused.response["body"]["error"]["format"] == str(refused)


@pytest.mark.parametrize(
    ("configuration", "mistake"),
    [
        ({}, "program is the file to debug, found none"),
        ({"program": 3}, "program is a path, found 3"),
        ({"program": "/nowhere/kernel.s"}, "/nowhere/kernel.s: no such file or directory"),
        ({"program": "kernel.s", "cwd": "/nowhere"}, "cwd is a folder, found /nowhere"),
    ],
)
def test_the_program_must_be_there(
    client: DapClient, configuration: dict[str, Any], mistake: str
) -> None:
    assert str(refusal(client, configuration)).startswith(mistake)


def test_a_program_for_another_machine_is_refused_in_words(client: DapClient) -> None:
    program = client.written("# isa: edgenpu\nNOP\n")
    words = "programs for edgenpu cannot be executed, only for ipu"
    assert words in str(refusal(client, {"program": str(program)}))


def test_a_file_that_is_no_image_is_refused_with_its_lines(
    client: DapClient, tmp_path: Path
) -> None:
    program = tmp_path / "kernel.hex"
    program.write_text(f"0x1\n{'f' * 48}\n\n0x2\n", encoding="ascii")
    found = f"{'f' * 40}..."
    mistakes = [
        f"{program}:2: a word has 179 bits, found {found}",
    ]
    check_mistakes(client, *mistakes, program=str(program))


def test_every_finding_of_a_program_is_told_with_its_place(client: DapClient) -> None:
    program = client.written(WRONG)
    refused = str(refusal(client, {"program": str(program)}))
    told = client.events_named("output")
    assert "unknown mnemonic" in refused
    assert f"(and {len(told) - 1} more: see the debug console)" in refused
    assert [(body["source"]["path"], body["line"]) for body in told] == [
        (str(program), line) for line in (2, 3, 4)
    ]
    assert f"{program}:2:1: error[E101]" in told[0]["output"]


def test_a_corrected_program_can_be_launched_after_one_with_errors(client: DapClient) -> None:
    program = client.written(WRONG)
    assert "unknown mnemonic" in str(refusal(client, {"program": str(program)}))
    program.write_text(LOOP, encoding="utf-8")
    client.start(program)
    assert client.stopped()["description"].startswith("halted")


def test_a_configuration_may_hold_anything(client: DapClient) -> None:
    odd: list[Any] = [None, True, -1, 1e308, "", "\0", [], {}, [[[]]], {"0": {}}, "x" * 10_000]
    fields = ("program", "isa", "dtype", "cr", "lr", "load", "dump", "stopOnEntry", "maxCycles",
              "aaqShift", "historyMemory", "cwd", "noDebug")  # fmt: skip
    for value in odd:
        refused = refusal(client, dict.fromkeys(fields, value))
        assert "failed" not in str(refused), json.dumps(value)


def test_of_many_mistakes_the_first_hundred_are_listed(client: DapClient) -> None:
    program = client.written("nope;;\n" * 300)
    refused = str(refusal(client, {"program": str(program)}))
    told = [body["output"] for body in client.events_named("output")]
    assert len(told) == 101
    assert told[-1] == "and 200 more\n"
    assert refused.endswith("(and 299 more: see the debug console)")
