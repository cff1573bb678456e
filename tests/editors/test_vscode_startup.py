"""How the extension finds a Python and starts the language server, and what it says if it cannot.

Most of it is tested inside the extension host, by vscode-extension/test/host/startup*.ts.
"""

from __future__ import annotations

import json
import os
import sys
import time
import venv
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping

import pytest

from ipu_asm.config import MNEMONIC_CASES
from ipu_asm.ide.formatting.lines import STYLES
from ipu_asm.isa import available_isas
from ipu_lsp.server.settings import read_settings
from tests.editors.kernels import WRAPPED
from tests.editors.patience import soon
from tests.editors.vscode import NOTIFICATIONS, VSCode
from tests.editors.vscode_host import Host, Result, run_in_extension_host
from tests.editors.vscode_server import VERSIONS, Server
from tests.editors.vscode_vsix import SOURCES, host_tests, unpacked

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_WARNED = "    set lr0 40000; bkpt;;\n"
_TRAP = "from pathlib import Path\n(Path(__file__).parent / 'executed').touch()\n"
_IMITATION = """
const { EventEmitter, Uri } = require("vscode");
const changed = new EventEmitter();
let path = process.env.IPU_TEST_PYTHON;
exports.activate = () => ({
  choose: (python) => { path = python; changed.fire({ path }); },
  environments: {
    getActiveEnvironmentPath: () => ({ id: path, path }),
    resolveEnvironment: async ({ path }) => ({ executable: { uri: Uri.file(path) } }),
    onDidChangeActiveEnvironmentPath: changed.event,
  },
});
"""
_TRAPS = ("json.py", "lark.py", "sitecustomize.py", "ipu_lsp.py", "ipu_asm.py", "venv.py")


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """The current Visual Studio Code, and the oldest one that the extension supports."""
    return str(request.param)


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python without any package."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=False)
    return folder / "bin" / "python"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with kernels, and with modules that nobody should import."""
    folder = tmp_path / "work"
    (folder / "project").mkdir(parents=True)
    (folder / "mistaken.s").write_text(WRAPPED, encoding="utf-8")
    for name in ("wrapped.s", "project/wrapped.s"):
        (folder / name).write_text(_WARNED, encoding="utf-8")
    (folder / "project" / "ipu.toml").write_text('[lint]\nignore = ["immediate-wraps"]\n')
    for name in _TRAPS:
        (folder / name).write_text(_TRAP, encoding="utf-8")
    return folder


@pytest.fixture
def nothing(tmp_path: Path, bare_python: Path, work: Path) -> Mapping[str, str]:
    """The environment of somebody who has Python 3.11 and no package, and no package index."""
    programs = tmp_path / "bin"
    programs.mkdir()
    _script(programs / "python3", f'exec "{bare_python}" "$@"')
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    offline = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_USER": "1"}
    return {**kept, **offline, **_confusing(work), "PATH": f"{programs}:/usr/bin:/bin"}


@pytest.fixture
def host(browser: Browser, version: str, vsix: Path, tmp_path: Path) -> Host:
    """The extension as it is packaged, in an extension host that runs tests."""
    return Host(browser, version, tmp_path / "code", unpacked(vsix, tmp_path / "unpacked"))


def test_the_server_starts_with_the_interpreter_of_the_setting(
    host: Host, work: Path, bare_python: Path
) -> None:
    _script(work / "python", f'exec "{sys.executable}" "$@"')
    environment = {
        **os.environ,
        **_confusing(work),
        "IPU_TEST_PYTHON": sys.executable,
        "IPU_TEST_BARE_PYTHON": str(bare_python),
    }
    _set(work, {"ipu.interpreter": sys.executable})
    check_host(host, "startup", work, environment)


def test_the_python_extension_comes_before_the_path_and_the_setting_before_both(
    host: Host, work: Path, bare_python: Path, tmp_path: Path
) -> None:
    Server(host.version, host.profile).install(_python_extension(tmp_path / "python.vsix"))
    programs = tmp_path / "bin"
    programs.mkdir()
    _script(programs / "ipu-lsp", f'exec "{sys.executable}" -P -m ipu_lsp "$@"')
    environment = {
        **os.environ,
        "IPU_TEST_PYTHON": sys.executable,
        "IPU_TEST_BARE_PYTHON": str(bare_python),
        "PATH": f"{programs}:{os.environ['PATH']}",
    }
    check_host(host, "startupOrigins", work, environment)


def test_a_server_that_crashes_is_started_again(host: Host, work: Path) -> None:
    _set(work, {"ipu.interpreter": sys.executable})
    check_host(host, "startupCrashes", work, os.environ)


def test_without_anything_installed_the_extension_makes_its_own_environment(
    host: Host, work: Path, nothing: Mapping[str, str]
) -> None:
    check_host(host, "startupFromNothing", work, nothing)


def test_environments_are_made_once_and_mended_and_removed(
    host: Host, work: Path, bare_python: Path, nothing: Mapping[str, str]
) -> None:
    without = (
        f'case "$*" in *venv*) echo no module venv >&2; exit 1;; esac\nexec "{bare_python}" "$@"'
    )
    _script(work / "python-without-venv", without)
    environment = {**nothing, "IPU_TEST_BARE_PYTHON": str(bare_python)}
    check_host(host, "startupEnvironments", work, environment)


def test_in_an_untrusted_workspace_nothing_is_started(host: Host, work: Path) -> None:
    _script(work / "python", f'touch "{work}/executed"')
    _set(work, {"ipu.interpreter": str(work / "python")})
    storage = host.profile / "data" / "User" / "globalStorage" / "ipu-asm.ipu-asm"
    environment = {**os.environ, "IPU_TEST_STORAGE": str(storage)}
    check_host(host, "startupUntrusted", work, environment, trusting=False)


def test_from_nothing_to_the_first_squiggle(
    browser: Browser,
    version: str,
    vsix: Path,
    work: Path,
    nothing: Mapping[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = Server(version, work.parent / "code", environment=nothing)
    server.install(vsix)
    with server, VSCode(browser, server, work) as code:
        began = time.monotonic()
        code.open("mistaken.s")
        assert soon(code.squiggles, bool), server.logs()
        with capsys.disabled():
            print(f"\n{version}: {time.monotonic() - began:.1f} s from nothing to a squiggle")
        assert not (work / "executed").exists()


def test_a_wrong_interpreter_is_explained_in_a_message_with_ways_out(
    browser: Browser, version: str, vsix: Path, work: Path
) -> None:
    _set(work, {"ipu.interpreter": "/nowhere/python"})
    server = Server(version, work.parent / "code")
    server.install(vsix)
    with server, VSCode(browser, server, work) as code:
        code.open("mistaken.s")
        said = 'The setting ipu.interpreter is "/nowhere/python", which does not exist.'
        assert soon(lambda: "\n".join(code.notifications()), lambda text: said in text), said
        assert code.squiggles() == 0
        code.page.locator(f"{NOTIFICATIONS} >> text=Open Settings").click()
        code.page.wait_for_selector(".settings-editor >> text=Interpreter")
        _set(work, {"ipu.interpreter": sys.executable})
        _go_back_to(code, "mistaken.s")
        assert soon(code.squiggles, bool), server.logs()


def test_trusting_a_workspace_starts_the_server(
    browser: Browser, version: str, vsix: Path, work: Path
) -> None:
    _set(work, {"ipu.interpreter": sys.executable})
    asking = {"startupPrompt": "never", "banner": "always"}
    settings = {f"security.workspace.trust.{name}": value for name, value in asking.items()}
    server = Server(version, work.parent / "code", settings=settings, trusting=False)
    server.install(vsix)
    with server, VSCode(browser, server, work) as code:
        code.open("mistaken.s")
        assert soon(code.status, lambda status: "IPU Assembly" in status), code.status()
        code.page.locator(".banner >> text=Manage").first.click()
        assert code.squiggles() == 0
        code.page.locator(".workspace-trust-editor .monaco-button >> text='Trust'").first.click()
        _go_back_to(code, "mistaken.s")
        assert soon(code.squiggles, bool), server.logs()


def test_every_setting_of_the_server_can_be_set_in_the_editor() -> None:
    properties = _properties()
    assert properties["ipu.isa"]["enum"] == ["", *available_isas()]
    assert properties["ipu.format.style"]["enum"] == list(STYLES)
    assert properties["ipu.format.mnemonicCase"]["enum"] == list(MNEMONIC_CASES)
    section: dict[str, Any] = {}
    for key, described in properties.items():
        if key not in ("ipu.interpreter", "ipu.trace.server"):
            _place(section, key.split(".")[1:], described.get("enum", [described["default"]])[-1])
    reading = read_settings(section)
    assert reading.complaints == ()
    assert None not in reading.settings


def test_every_setting_is_described() -> None:
    for key, described in _properties().items():
        assert described["markdownDescription"].endswith("."), key
        for value in described.get("enum", ()):
            texts = described.get("enumDescriptions") or described["markdownEnumDescriptions"]
            assert len(texts) == len(described["enum"]), f"{key}: {value}"


def check_host(
    host: Host, bundle: str, work: Path, environment: Mapping[str, str], trusting: bool = True
) -> None:
    """All tests of a bundle pass inside the extension host."""
    results = run_in_extension_host(
        host, host_tests() / f"{bundle}.js", work, environment=environment, trusting=trusting
    )
    assert results
    failures = "\n".join(_failures(results))
    assert not failures, failures


def _python_extension(vsix: Path) -> Path:
    """A package that answers as the Python extension does, which no registry of ours has."""
    manifest = {
        "name": "python",
        "publisher": "ms-python",
        "version": "1.0.0",
        "engines": {"vscode": "^1.100.0"},
        "main": "./main.js",
        "activationEvents": [],
    }
    with zipfile.ZipFile(vsix, "w") as archive:
        archive.writestr("extension/package.json", json.dumps(manifest))
        archive.writestr("extension/main.js", _IMITATION)
    return vsix


def _go_back_to(code: VSCode, name: str) -> None:
    """From an editor that covers the others, which it does in newer versions, or from its tab."""
    closing = code.page.locator(".monaco-modal-editor-block .codicon-close")
    if closing.count():
        closing.first.click()
    code.page.locator(f".tab[data-resource-name='{name}']").click()


def _failures(results: list[Result]) -> Iterator[str]:
    for result in results:
        if not result.ok:
            yield f"{result.name}: {result.message}"


def _properties() -> dict[str, dict[str, Any]]:
    manifest = json.loads((SOURCES / "package.json").read_text("utf-8"))
    properties: dict[str, dict[str, Any]] = manifest["contributes"]["configuration"]["properties"]
    return properties


def _place(section: dict[str, Any], path: list[str], value: object) -> None:
    for name in path[:-1]:
        section = section.setdefault(name, {})
    section[path[-1]] = value


def _confusing(work: Path) -> Mapping[str, str]:
    """Variables of somebody's shell that a Python of ours must not follow."""
    return {"PYTHONPATH": str(work), "PYTHONHOME": "/nowhere"}


def _set(work: Path, settings: Mapping[str, Any]) -> None:
    """Settings of the workspace."""
    (work / ".vscode").mkdir(exist_ok=True)
    (work / ".vscode" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def _script(path: Path, commands: str) -> None:
    path.write_text(f"#!/bin/sh\n{commands}\n", encoding="utf-8")
    path.chmod(0o755)
