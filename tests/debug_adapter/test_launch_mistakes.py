"""What is said of a launch configuration, or a program, that is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from ipu_lsp.transport import plain
from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.programs import LOOP


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


def test_an_array_of_another_type_is_told(client: DapClient, tmp_path: Path) -> None:
    (tmp_path / "kernel.s").write_text(LOOP, encoding="utf-8")
    np.save(tmp_path / "words.npy", np.ones(3, np.float32))
    check_mistakes(
        client,
        f"{tmp_path / 'words.npy'}: expected elements of int8, found float32; with the type i8 "
        "(@ADDR:i8) the values are converted, with f32 they are loaded as they are",
        program="kernel.s", cwd=str(tmp_path), load=[{"file": "words.npy", "address": 0}],
    )  # fmt: skip


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
