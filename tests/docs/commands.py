"""The commands that the pages tell their readers to type, and where each of them is run.

A block ``sh`` is typed as it stands. A block ``console`` has commands after ``$``, each with what
it prints. A block under a line with nothing but the name of a file is that file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "benchmarks" / "README.md",
        ROOT / "vscode-extension" / "README.md",
    )
)
FENCE: Final = re.compile(r"^( *)```([\w-]*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
FILE: Final = re.compile(r"^`(\S+)`[^\n]*:\n\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)

INSTALLS: Final = (
    "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/ipu-lint examples",
    "uv tool install .",
    "pipx install .",
    "uvx --from ./tools/ipu-asm ipu-lint kernels",
    "pipx run --spec ./tools/ipu-asm ipu-lint kernels",
)
"""They need a package registry; `.ci/installs` runs them."""

CHECKS: Final = (
    "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]'"
    " && .venv/bin/python -m pytest -n auto",
    "python3 -m venv .venv && .venv/bin/pip install -e '.[test,lint]'",
    ".venv/bin/python -m pytest -n auto",
    ".venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy",
    ".ci/lower-bounds",
)
"""They check the project itself, this test among the rest; `.ci/run` has them literally."""

ELSEWHERE: Final = {
    ".ci/run": "it runs this test",
    ".ci/vscode": "opens real windows for 14 minutes",
    "make generate": "writes into the project; tests compare each file that it writes",
    "make playground": "needs a package registry; `tests/editors/test_playground.py` builds it",
    "make serve": "never ends; `tests/editors/test_playground.py` serves the page",
    "python -m benchmarks": "measures for ten minutes",
    "python -m benchmarks edit_latency cold_start": "measures for minutes",
    "python -m benchmarks --quick": "measures for minutes",
    "python -m benchmarks --check": "measures for ten minutes",
    "cd vscode-extension && npm ci && npm run package": (
        "needs a package registry; `tests/editors/install.py` makes the extension"
    ),
    "cd vscode-extension && npm ci && npm run package -- --web": (
        "needs a package registry; `tests/editors/test_web_extension.py` makes the extension"
    ),
    "git submodule add URL tools/ipu-asm": "`URL` is the reader's",
    "ipu-lint --format rdjson kernels | reviewdog -f=rdjson -reporter=github-pr-review": (
        "reviewdog is no part of the project; `tests/test_ci_page.py` runs the rest"
    ),
    "podman build -t ipu-asm tools/ipu-asm": (
        "needs a container engine; `.ci/container` follows the file"
    ),
    "cmake -S . -B build": "`tests/test_ci_builds.py` runs it where there is cmake",
    "cmake --build build": "`tests/test_ci_builds.py` runs it where there is cmake",
    "ctest --test-dir build --output-on-failure": (
        "`tests/test_ci_builds.py` runs it where there is cmake"
    ),
    'podman run --rm -v "$PWD":/work:ro ipu-asm ipu-lint kernels': "needs a container engine",
}
"""Why they are run neither here nor in CI as they stand."""


class Block(NamedTuple):
    """A fenced block of a page."""

    page: str
    language: str
    text: str

    @property
    def commands(self) -> list[str]:
        """The lines of shell, without comments; what a backslash continues is one line."""
        shown = self.text
        if self.language == "console":
            lines = shown.splitlines()
            shown = "\n".join(line[2:] for line in lines if line.startswith("$ "))
        lines = shown.replace("\\\n", " ").splitlines()
        plain = (re.sub(r"(^|\s)#.*", "", line) for line in lines)
        return [" ".join(line.split()) for line in plain if line.strip()]


def blocks(*languages: str) -> list[Block]:
    """The blocks of all pages, those in these languages if any are named."""
    found = []
    for page in PAGES:
        for indent, language, text in FENCE.findall((ROOT / page).read_text(encoding="utf-8")):
            if not languages or language in languages:
                lines = text.splitlines(keepends=True)
                whole = "".join(line.removeprefix(indent) for line in lines)
                found.append(Block(page, language, whole))
    return found


def files(page: str) -> dict[str, str]:
    """The files that a page shows, by their names."""
    return dict(FILE.findall((ROOT / page).read_text(encoding="utf-8")))


def elsewhere() -> set[str]:
    """All commands that are run somewhere else, or nowhere."""
    return {*INSTALLS, *CHECKS, *ELSEWHERE}
