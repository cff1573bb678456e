"""Fill a folder with the wheels that the .vsix carries, and describe them in manifest.json.

They are our own wheel and the pure-Python wheels that the language server needs. What is compiled
(numpy, ml_dtypes, wasmtime: for the emulator) differs between platforms; the extension installs it
later.

    python scripts/wheels.py WHEELS
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_PROJECT = _HERE.parent.parent
_VERSIONS = _HERE / "wheel-versions.txt"
# jinja2 needs compiled markupsafe; only `ipu-run --profile` uses it. prompt_toolkit is pure Python,
# but only `ipu-run --interactive` uses it, which needs numpy as well.
_COMPILED = {"numpy", "ml-dtypes", "wasmtime", "jinja2", "prompt-toolkit"}
_ANYWHERE = ("--python-version", "3.11", "--implementation", "py", "--abi", "none")


def main() -> int:
    """Make the wheels in the folder that is the only argument."""
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    ours = _build(folder)
    pure, compiled = _requirements(ours)
    wanted = {_file_key(*line.split("==")) for line in _pinned()}
    _keep_only(folder, {*wanted, _key_of(ours)})
    if not wanted <= {_key_of(wheel) for wheel in folder.glob("*.whl")}:
        _download(folder, pure)
    _complain_about(folder, {*wanted, _key_of(ours)})
    _describe(folder, ours, compiled)
    return 0


def _build(folder: Path) -> Path:
    for old in folder.glob("ipu_asm-*.whl"):
        old.unlink()
    _pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(_PROJECT))
    (ours,) = folder.glob("ipu_asm-*.whl")
    return ours


def _download(folder: Path, requirements: list[str]) -> None:
    """The requirements with all that they require themselves."""
    options = ("--only-binary", ":all:", "--platform", "any", *_ANYWHERE)
    _pip("download", *options, "--constraint", str(_VERSIONS), "--dest", str(folder), *requirements)


def _requirements(wheel: Path) -> tuple[list[str], list[str]]:
    """What a wheel requires: the pure-Python part and the compiled part."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(name))
    required = [r for r in metadata.get_all("Requires-Dist", []) if "extra ==" not in r]
    compiled = [r for r in required if _normal(re.split(r"[^\w.-]", r)[0]) in _COMPILED]
    return [r for r in required if r not in compiled], compiled


def _describe(folder: Path, ours: Path, compiled: list[str]) -> None:
    wheels = sorted(folder.glob("*.whl"))
    digest = hashlib.sha256()
    for wheel in wheels:
        digest.update(wheel.name.encode() + wheel.read_bytes())
    manifest = {
        "version": ours.name.split("-")[1],
        "hash": digest.hexdigest()[:12],
        "wheels": [wheel.name for wheel in wheels],
        "compiled": compiled,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


def _complain_about(folder: Path, expected: set[str]) -> None:
    """A wheel that nobody has tested, or that runs on one platform only, does not go out."""
    found = {_key_of(wheel): wheel.name for wheel in folder.glob("*.whl")}
    for key in sorted(expected ^ set(found)):
        what = f"found {found[key]}" if key in found else "found none"
        sys.exit(f"wheels.py: expected exactly the wheels of {_VERSIONS.name}; {key}: {what}")
    for name in found.values():
        if not name.endswith("-none-any.whl"):
            sys.exit(f"wheels.py: expected wheels for every platform, found {name}")


def _keep_only(folder: Path, keys: set[str]) -> None:
    for wheel in folder.glob("*.whl"):
        if _key_of(wheel) not in keys:
            wheel.unlink()


def _pinned() -> list[str]:
    lines = _VERSIONS.read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _key_of(wheel: Path) -> str:
    return _file_key(*wheel.name.split("-")[:2])


def _file_key(name: str, version: str) -> str:
    return f"{_normal(name)} {version}"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments, "--quiet"]
    status = subprocess.run(command, check=False).returncode
    if status:
        sys.exit(f"wheels.py: `pip {arguments[0]}` failed with status {status}")


if __name__ == "__main__":
    sys.exit(main())
