"""Packages of Debian, or of a relative of Debian, only unpacked: no privileges are needed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Sequence

from tests.editors.install_cache import NotInstalledError, cache, run


def unpacked(package: str, *releases: str, alone: bool = False) -> Path:
    """The folder with a Debian package of the last of these releases, unless it comes `alone` with
    all that it needs and this machine does not have."""
    if not (shutil.which("apt-get") and shutil.which("dpkg")):
        raise NotInstalledError(f"`{package}` must be on the PATH, where there is no `apt-get`")
    folder = cache() / package
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("lists/partial", "archives/partial"):
        (folder / name).mkdir(parents=True)
    apt = ["apt-get", "-qq", *_private_apt(folder, releases)]
    run([*apt, "update"])
    wanted = ["--yes", "--download-only", "--no-install-recommends", "-t", releases[-1], package]
    if alone:
        run([*apt, "download", package], folder / "archives")
    else:
        run([*apt, "install", *wanted])
    for archive in (folder / "archives").glob("*.deb"):
        run(["dpkg", "--extract", str(archive), str(folder / "root")])
    for name in ("lists", "archives"):
        shutil.rmtree(folder / name)
    return folder / "root"


def _private_apt(folder: Path, releases: Sequence[str]) -> list[str]:
    """Options by which apt reads the machine's sources, for these releases, and writes here."""
    sources = folder / "sources.list"
    columns = "$(REPO_URI) $(RELEASE) $(COMPONENT)"
    only = ["--no-release-info", "--format", columns, "Created-By: Packages"]
    targets = run(["apt-get", "indextargets", *only])
    found = {tuple(line.split(" ")) for line in targets.splitlines()}
    own = sorted(line for line in found if line[1:2] == (codename(),))
    lines = [f"deb {uri} {release} {part}" for release in releases for uri, _, part in own]
    sources.write_text("\n".join([*lines, ""]), encoding="utf-8")
    options = {
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": folder / "lists",
        "Dir::Cache": folder,
        "APT::Sandbox::User": "",
        "Debug::NoLocking": "1",
    }
    return [part for name, value in options.items() for part in ("-o", f"{name}={value}")]


def codename() -> str:
    """The name of this machine's release of Debian."""
    release = Path("/etc/os-release").read_text(encoding="utf-8")
    match = re.search(r"^VERSION_CODENAME=\"?(\w+)", release, re.MULTILINE)
    if not match:
        raise NotInstalledError("the editor must be on the PATH of this system, which is no Debian")
    return match.group(1)
