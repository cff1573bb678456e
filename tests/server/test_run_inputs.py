"""`ipu/runInputs`, and the values of `[kernel."GLOB".run]` in what the server shows."""

from __future__ import annotations

from pathlib import Path

from tests.server.folders import written
from tests.server.test_host_configurations import FILES, answers, cycles

TOML = '[kernel."a.s".run]\ncr = {3 = 5}\nload = ["random:1@0x0:64"]\n'


def test_a_form_is_given_registers_and_data_with_their_origins(tmp_path: Path) -> None:
    written(tmp_path, {**FILES, "ipu.toml": TOML})
    uri = (tmp_path / "a.s").as_uri()
    request = {"id": 1, "method": "ipu/runInputs", "params": {"textDocument": {"uri": uri}}}
    (found,) = answers(tmp_path, request)
    register = {"name": "cr3", "purpose": "", "value": 5, "origin": "ipu.toml", "words": ""}
    assert found["registers"] == [register]
    assert found["load"] == [{"text": "random:1@0x0:64", "origin": "ipu.toml", "region": ""}]
    assert found["origin"] == str(tmp_path / "ipu.toml")
    options = {each["name"]: each["choices"] for each in found["options"]}
    assert options == {"dtype": ["int8", "fp8_e4m3", "fp8_e5m2"], "aaq_shift": []}
    assert (found["missing"], found["unknown"], found["expect"]) == ([], [], [])


def test_totals_are_those_of_the_configured_run(tmp_path: Path) -> None:
    written(tmp_path, {**FILES, "ipu.toml": TOML})
    (totals,) = answers(tmp_path, cycles(1, (tmp_path / "a.s").as_uri()))
    assert totals["text"].startswith("12 cycles with cr3 = 5 (ipu.toml)")
