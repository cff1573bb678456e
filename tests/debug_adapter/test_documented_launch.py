"""The launch configurations of the pages run in a checkout as they are printed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ipu_lsp.transport import Json
from tests.debug_adapter.client import DapClient
from tests.docs.commands import ROOT, blocks

CONFIGURATIONS: list[Json] = [
    configuration
    for block in blocks("json")
    if block.page in ("docs/debugging.md", "docs/editors/vscode.md")
    for content in [json.loads(block.text)]
    for configuration in content.get("configurations", [content])
]


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_a_printed_launch_configuration_leaves_the_results(
    configuration: Json, client: DapClient, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    launch = {**configuration, "cwd": str(tmp_path)}
    program = launch.pop("program").replace("${workspaceFolder}", str(tmp_path))
    assert (launch.pop("type"), launch.pop("request")) == ("ipu", "launch")
    client.start(tmp_path / program, **launch)
    stop = client.stopped()
    assert "halted by" in stop["description"]
    if "dump" not in launch:
        return
    results = (ROOT / "examples" / "data" / "results.bin").read_bytes()
    assert (tmp_path / "out.bin").read_bytes() == results


def test_both_pages_have_a_launch_configuration_with_results() -> None:
    assert [("dump" in each) for each in CONFIGURATIONS] == [True, False, True]
