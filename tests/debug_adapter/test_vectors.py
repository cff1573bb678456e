"""`ipu/vector` and `ipu/vectors`: what a view of whole registers is drawn from."""

from __future__ import annotations

import base64
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipu_lsp.transport import Json
from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.kernel import MASK, RESULTS, ROW, started


@pytest.fixture
def standing(client: DapClient, tmp_path: Path) -> DapClient:
    return started(client, tmp_path)


def check_vector(client: DapClient, name: str, **arguments: Any) -> Json:
    """The answer for a vector; it agrees with what its expressions evaluate to."""
    body = client.request("ipu/vector", name=name, **arguments)
    size = len(body["elements"])
    assert {len(body[key]) for key in ("texts", "hex", "expressions")} == {size}
    assert {len(body[key]) for key in ("changed", "previous", "previousTexts")} == {
        len(body["changed"])
    }
    for number in (*body["changed"][:3], 0, size - 1):
        text = client.evaluate(body["expressions"][number], context="clipboard")
        assert text == body["texts"][number]
        exact = float(body["elements"][number])
        assert math.isclose(float(text), exact, rel_tol=1e-7, abs_tol=1e-45) or text == "nan"
    return body


def listed(client: DapClient) -> dict[str, Json]:
    found: list[Json] = client.request("ipu/vectors")["vectors"]
    return {each["name"]: each for each in found}


def test_all_that_is_listed_can_be_shown_in_all_its_types(standing: DapClient) -> None:
    names = listed(standing)
    assert {"r0", "r1", "mem_bypass", "r_cyclic", "mult_res", "r_acc", "mask[7]"} < set(names)
    for name, about in names.items():
        body = check_vector(standing, name)
        assert (body["type"], len(body["elements"])) == (about["type"], about["elements"])
        assert (body["types"], body["masks"]) == (about["types"], about["masks"])
        for kind in about["types"]:
            assert check_vector(standing, name, type=kind)["type"] == kind


def test_elements_come_with_texts_bits_and_a_place_in_memory(standing: DapClient) -> None:
    body = check_vector(standing, "r_cyclic")
    numbers = struct.unpack("<256b", ROW)
    assert body["elements"][:128] == list(numbers[:128])
    assert body["texts"][:3] == ["0", "1", "2"]
    assert body["hex"][:2] == ["0x00", "0x01"]
    assert body["location"] == {"part": "r_cyclic", "start": 0, "elementSize": 1}
    data = standing.request("readMemory", memoryReference=body["memoryReference"], count=128)
    assert base64.b64decode(data["data"]) == ROW[:128]
    assert body["numpy"].startswith("np.array([\n    0, 1, 2, ")
    assert body["numpy"].endswith(",\n], dtype=np.int8)")


def test_what_the_last_way_changed_tells_what_it_was(standing: DapClient) -> None:
    body = check_vector(standing, "acc")
    assert body["changed"] == list(range(1, 128))
    assert (body["previous"][2], body["previousTexts"][2], body["elements"][3]) == (0, "0", 9)
    standing.step()
    again = check_vector(standing, "acc")
    assert again["previous"] == [body["elements"][place] for place in again["changed"]]
    assert again["maximum"] == str(max(again["elements"]))
    standing.step()
    assert check_vector(standing, "acc")["changed"] == []


def test_going_back_is_told_as_a_change_too(standing: DapClient) -> None:
    standing.step()
    forth = check_vector(standing, "acc")
    standing.step("stepBack")
    back = check_vector(standing, "acc")
    assert back["changed"] == forth["changed"]
    assert back["previous"] == [forth["elements"][place] for place in forth["changed"]]
    assert [back["elements"][place] for place in back["changed"]] == forth["previous"]


def test_a_mask_tells_which_elements_it_suppresses(standing: DapClient) -> None:
    bits = [place for place in range(128) if MASK[16 + place // 8] >> place % 8 & 1]
    assert check_vector(standing, "acc", mask="mask[1]")["masked"] == bits
    assert check_vector(standing, "acc")["masked"] == []
    mask = check_vector(standing, "mask[1]")
    assert [place for place, bit in enumerate(mask["elements"]) if bit] == bits
    assert "location" not in mask


def test_numbers_that_json_cannot_write_are_words(standing: DapClient) -> None:
    for place, word in enumerate(("nan", "inf", "-inf")):
        standing.evaluate(f"acc[{place} : f32] = {word}", "repl")
    body = check_vector(standing, "acc", type="float32")
    assert body["elements"][:3] == ["NaN", "Infinity", "-Infinity"]
    assert (body["nans"], body["infinities"]) == (1, 2)
    assert (body["minimum"], body["maximum"]) == ("-inf", "inf")
    standing.evaluate("acc[0..127 : f32] = nan", "repl")
    assert "minimum" not in check_vector(standing, "acc", type="float32")


def test_floats_are_exact(standing: DapClient) -> None:
    standing.evaluate("acc[5 : f32] = 0.1", "repl")
    body = check_vector(standing, "acc", type="float32")
    (exact,) = struct.unpack("<f", struct.pack("<f", 0.1))
    assert math.isclose(body["elements"][5], exact, rel_tol=0)
    assert (body["texts"][5], body["hex"][5]) == ("0.1", "0x3dcccccd")


def test_memory_can_be_shown_where_a_register_points_at(standing: DapClient) -> None:
    body = check_vector(standing, " xmem[cr1 + lr1 .. +16] ")
    assert body["name"] == "xmem[cr1 + lr1 .. +16]"
    assert body["path"] == f"xmem[{RESULTS + 16:#x} .. +16]"
    assert body["location"] == {"part": "xmem", "start": RESULTS + 16, "elementSize": 1}


def test_the_authors_note_comes_along(client: DapClient) -> None:
    client.start("# r0 = the row\nacc;; bkpt;;", stopOnEntry=True)
    client.stopped()
    assert listed(client)["r0"]["note"] == "the row"
    assert check_vector(client, "r0")["note"] == "the row"
    assert check_vector(client, "r1")["note"] == ""


def test_a_change_by_hand_is_seen_at_once(standing: DapClient) -> None:
    standing.evaluate("r1[9] = 77", "repl")
    body = check_vector(standing, "r1")
    assert body["elements"][9] == 77
    assert 9 in body["changed"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "arguments has name, found none"),
        ({"name": 3}, "name is a text, found 3"),
        ({"name": "lr0"}, "a vector is several elements or one mask, found lr0"),
        ({"name": "r9"}, "no register is called r9; there are r0 to r1"),
        ({"name": "r0", "type": "int4"}, "a type is one of i8, "),
        ({"name": "r0", "type": 8}, "type is a text, found 8"),
        ({"name": "r0", "mask": "mask[9]"}, "an index is 0 to 7, found 9"),
        ({"name": "r0", "mask": "r1"}, "a mask is one such as mask[0], found r1"),
        ({"name": "r0", "frameId": 0}, "a frame is one that stackTrace lists, found 0"),
        ({"name": "xmem[0 .. +1000]"}, "512 elements fit, found 1,000 in"),
    ],
)
def test_what_cannot_be_shown_is_told(standing: DapClient, arguments: Json, words: str) -> None:
    with pytest.raises(Rejected) as caught:
        standing.response(standing.send("ipu/vector", arguments))
    assert words in str(caught.value)


def test_a_running_machine_shows_nothing(client: DapClient) -> None:
    client.start("forever: incr lr1 1;;\nb forever;;\n")
    client.expect_event("process")
    for command, arguments in (("ipu/vector", {"name": "r0"}), ("ipu/vectors", {})):
        with pytest.raises(Rejected, match="the program is running: pause it first"):
            client.response(client.send(command, arguments))


def saved(folder: Path, name: str, numbers: Any) -> str:
    path = folder / name
    np.save(path, np.array(numbers, "i4"))
    return str(path)


def test_a_file_tells_what_the_elements_should_be(standing: DapClient, tmp_path: Path) -> None:
    numbers = standing.request("ipu/vector", name="acc")["elements"]
    wanted = [number + 2 * (index in (5, 77)) for index, number in enumerate(numbers)]
    file = saved(tmp_path, "acc.npy", wanted)
    expected = check_vector(standing, "acc", expected=file)["expected"]
    assert (expected["elements"], expected["differing"]) == (wanted, [5, 77])
    assert expected["texts"][5] == str(wanted[5])
    text = standing.evaluate(f"diff acc {file}", context="repl")
    assert text.splitlines()[1] == f"  r_acc[5] is {numbers[5]}, expected {wanted[5]} (-2)"
    assert f"{file}: 2 of 128 differ" in text
    assert "who r_acc[5]" in text
    # A longer file says with which element it begins.
    longer = saved(tmp_path, "longer.npy", [0] * 10 + wanted)
    part = check_vector(standing, "acc", expected=f"{longer}@10")["expected"]
    assert part["differing"] == [5, 77]
    problem = check_vector(standing, "acc", expected=longer)["expectedProblem"]
    assert "expected 128 elements of i32, found 138" in problem
    assert "longer.npy@N" in problem


def test_more_differences_are_shown_from_an_element_on(standing: DapClient, tmp_path: Path) -> None:
    numbers = standing.request("ipu/vector", name="acc")["elements"]
    file = saved(
        tmp_path, "acc.npy", [number + (index >= 90) for index, number in enumerate(numbers)]
    )
    first = standing.evaluate(f"diff acc {file}", context="repl").splitlines()
    assert len(first) == 1 + 16 + 2
    assert first[-2] == f"  and 22 more: diff acc {file} from 106 shows the next of them"
    following = standing.evaluate(f"diff acc {file} from 106", context="repl").splitlines()
    assert following[0] == first[0]
    assert following[1].startswith("  r_acc[106] is ")
    assert "and 6 more" in following[-2]
    assert "who r_acc[106]" in following[-1]
    text = standing.evaluate(f"diff acc {file} from 128", context="repl")
    assert text.endswith("38 of 128 differ; none from element 128 on")


def test_what_the_launch_expects_is_known_with_its_address(
    client: DapClient, tmp_path: Path
) -> None:
    np.save(tmp_path / "out.npy", np.zeros(512, "i4"))
    expect = [{"file": str(tmp_path / "out.npy"), "address": RESULTS}]
    standing = started(client, tmp_path, expect=expect)
    names = standing.request("ipu/vectors")["expected"]
    assert names == [{"name": str(tmp_path / "out.npy")}]
    place = f"xmem[{RESULTS + 64:#x} .. +32 : i32]"
    body = check_vector(standing, place, expected=names[0]["name"])
    assert body["expected"]["elements"] == [0] * 32
    assert body["expected"]["differing"] == [i for i, n in enumerate(body["elements"]) if n]
    outside = check_vector(standing, "xmem[0 .. +8 : i32]", expected=names[0]["name"])
    assert "found none or only a part" in outside["expectedProblem"]


@pytest.mark.parametrize("expected", ["", "none.npy", "x.npz", "random:7", "@", "a.npy@-1", "\0"])
def test_files_that_cannot_be_compared_leave_the_vector_as_it_is(
    standing: DapClient, tmp_path: Path, expected: str
) -> None:
    body = check_vector(standing, "acc", expected=expected)
    assert body["expectedProblem"]
    assert "expected" not in body
    assert "expectedProblem" in check_vector(standing, "mask[1]", expected=expected)
