"""Debugging inside the extension host of Visual Studio Code: vscode-extension/test/host/debug*.ts.

And what the extension says of launch configurations, beside what the adapter takes.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ipu_asm.isa import manifests
from ipu_lsp.debug_adapter.configuration import (
    FILE_FIELDS,
    LAUNCH_FIELDS,
    LaunchError,
    read_configuration,
)
from tests.editors.user import PROJECT
from tests.editors.vscode_host import Host, run_in_extension_host
from tests.editors.vscode_server import VERSIONS
from tests.editors.vscode_vsix import SOURCES, host_tests, unpacked

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Json = dict[str, Any]

_OF_THE_EDITOR = {"noDebug"}
"""What the editor says itself."""


@pytest.fixture(params=VERSIONS)
def host(request: pytest.FixtureRequest, browser: Browser, vsix: Path, tmp_path: Path) -> Host:
    """The extension as it is packaged, in the current and in the oldest Visual Studio Code."""
    extension = unpacked(vsix, tmp_path / "unpacked")
    return Host(browser, str(request.param), tmp_path / "code", extension)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a kernel."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "loop.s").write_text("bkpt;;\n", encoding="utf-8")
    (folder / ".vscode").mkdir()
    settings = json.dumps({"ipu.interpreter": sys.executable})
    (folder / ".vscode" / "settings.json").write_text(settings, encoding="utf-8")
    return folder


@pytest.mark.parametrize("bundle", ["debug", "debugBesides", "debugTemplates", "debugVectors"])
def test_kernels_are_debugged(host: Host, work: Path, bundle: str) -> None:
    check_host(host, bundle, work)


def test_nothing_is_debugged_in_an_untrusted_workspace(host: Host, work: Path) -> None:
    check_host(host, "debugUntrusted", work, trusting=False)


def test_the_editor_knows_every_field_of_a_launch_configuration() -> None:
    properties = launch()["properties"]
    fields = set(LAUNCH_FIELDS) - _OF_THE_EDITOR
    assert set(properties) == fields
    assert set(properties["load"]["items"]["properties"]) == set(FILE_FIELDS)
    assert set(properties["dump"]["items"]["properties"]) == set(FILE_FIELDS)
    assert set(properties["expect"]["items"]["properties"]) == set(FILE_FIELDS)
    options = [option for each in manifests().values() for option in each.host_options]
    choices = [name for option in options if option.name == "dtype" for name in option.choices]
    assert properties["dtype"]["enum"] == list(dict.fromkeys(map(str.lower, choices)))


def test_every_field_is_described_as_the_document_does() -> None:
    document = (PROJECT / "docs" / "debugging.md").read_text("utf-8")
    described = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", document, re.M))))
    for name, field in launch()["properties"].items():
        text = field.get("markdownDescription") or field["description"]
        assert text.endswith("."), name
        assert name in described


def test_what_the_editor_offers_is_taken_by_the_adapter(tmp_path: Path) -> None:
    for name in ("kernel.s", "inputs.bin", "weights.bin", "expected.bin"):
        (tmp_path / name).write_text("bkpt;;\n", encoding="utf-8")
    bodies = [snippet["body"] for snippet in debugger()["configurationSnippets"]]
    bodies += debugger()["initialConfigurations"]
    assert len(bodies) == 5
    for body in bodies:
        given = {key: filled(value, tmp_path) for key, value in body.items()}
        assert read_configuration({**given, "cwd": str(tmp_path)}).hints == ()
    with pytest.raises(LaunchError):
        read_configuration({})


def check_host(host: Host, bundle: str, work: Path, trusting: bool = True) -> None:
    """All tests of a bundle pass inside the extension host."""
    tests = host_tests() / f"{bundle}.js"
    results = run_in_extension_host(host, tests, work, trusting=trusting)
    assert results
    failures = "\n".join(f"{each.name}: {each.message}" for each in results if not each.ok)
    assert not failures, failures


def filled(value: Any, folder: Path) -> Any:
    """What is left of a snippet once its variables and places to type are filled."""
    if isinstance(value, list):
        return [filled(item, folder) for item in value]
    if isinstance(value, dict):
        return {key: filled(item, folder) for key, item in value.items()}
    if not isinstance(value, str):
        return value
    text = value.removeprefix('^"').removesuffix('"') if value.startswith("^") else value
    text = re.sub(r"\$\{\d\|(\w+),.*?\|\}", r"\1", text)
    text = re.sub(r"\$\{\d:([^{}]*)\}", r"\1", text).replace("\\$", "$")
    text = text.replace("${workspaceFolder}", str(folder))
    return text.replace("${file}", str(folder / "kernel.s"))


def debugger() -> Json:
    """What the extension says of its debugger."""
    manifest = json.loads((SOURCES / "package.json").read_text("utf-8"))
    (found,) = manifest["contributes"]["debuggers"]
    return dict(found)


def launch() -> Json:
    """The schema of launch configurations."""
    return dict(debugger()["configurationAttributes"]["launch"])
