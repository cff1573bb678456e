"""Definition, hover and references of random names from headers, in a folder of real sources.

Run by hand: ``python -m benchmarks.header_names FOLDER [COUNT] [SEED]``. What is right is looked up
by other means: by searching all files of the folder for the lines that define a name.
"""

from __future__ import annotations

import os
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from benchmarks.lsp_client import LspClient, started

_NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"', re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_DEFINITION = re.compile(
    r"^[ \t]*(?:#[ \t]*define[ \t]+|\.macro[ \t]+|\.(?:set|equ)[ \t]+)([A-Za-z_]\w*)", re.MULTILINE
)
_WORD = re.compile(r"(?<![\w.#\\])[A-Za-z_]\w*(?![\w.])")
_EXTENSIONS = (".S", ".h", ".hpp", ".inc")


class Use(NamedTuple):
    """A use of a name in a file, with the files in reach that define it."""

    path: Path
    line: int
    column: int
    name: str
    defining: frozenset[Path]


class Sources:
    """The texts of a folder, and which of its files include which."""

    def __init__(self, folder: Path) -> None:
        paths = (p for p in folder.rglob("*") if p.suffix in _EXTENSIONS and p.is_file())
        self.texts = {p: p.read_text(encoding="utf-8", errors="replace") for p in sorted(paths)}
        self.include_paths: set[Path] = set()
        self._defines = {p: set(_DEFINITION.findall(text)) for p, text in self.texts.items()}
        self._included = {path: self._targets(path) for path in self.texts}

    def uses(self) -> Iterator[Use]:
        """Yield the uses, in sources, of names that only headers in reach define."""
        for path, text in self.texts.items():
            reach = self._reach(path) if path.suffix == ".S" else set()
            code = _NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
            for number, line in enumerate(code.split("\n") if reach else ()):
                if line.lstrip().startswith(("#", ".")):
                    continue
                for word in _WORD.finditer(line):
                    if word[0] in self._defines[path]:
                        continue
                    found = frozenset(p for p in reach if word[0] in self._defines[p])
                    if found:
                        yield Use(path, number, word.start(), word[0], found)

    def _targets(self, path: Path) -> set[Path]:
        found = set()
        for name in _INCLUDE.findall(self.texts[path]):
            beside = Path(os.path.normpath(path.parent / name))
            if beside in self.texts:
                found.add(beside)
                continue
            for other in self.texts:
                if str(other).endswith(f"/{name}"):
                    found.add(other)
                    self.include_paths.add(Path(str(other)[: -len(name) - 1]))
                    break
        return found

    def _reach(self, path: Path) -> set[Path]:
        seen: set[Path] = set()
        waiting = [path]
        while waiting:
            fresh = self._included[waiting.pop()] - seen - {path}
            seen |= fresh
            waiting += fresh
        return seen


def check(client: LspClient, use: Use) -> list[str]:
    """Return which of the three answers about a use are wrong."""
    place = {
        "textDocument": {"uri": use.path.as_uri()},
        "position": {"line": use.line, "character": use.column},
    }
    wrong = []
    found = client.request("textDocument/definition", place)
    links = found if isinstance(found, list) else [found] if found else []
    if not links or not all(_defines(link, use) for link in links):
        wrong.append("definition")
    page = client.request("textDocument/hover", place)
    if not page or use.name not in str(page["contents"]) or " line " not in str(page["contents"]):
        wrong.append("hover")
    context = {"context": {"includeDeclaration": True}}
    locations = client.request("textDocument/references", place | context) or []
    here = {(each["uri"], *each["range"]["start"].values()) for each in locations}
    is_here = (use.path.as_uri(), use.line, use.column) in here
    if not is_here or not any(_defines(location, use) for location in locations):
        wrong.append("references")
    return wrong


def _defines(location: dict[str, Any], use: Use) -> bool:
    """Return whether the line of a location defines the name, in one of the right files."""
    path = Path(unquote(urlsplit(location["uri"]).path))
    if path not in use.defining:
        return False
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    match = _DEFINITION.match(lines[location["range"]["start"]["line"]])
    return match is not None and match[1] == use.name


def main(folder: str, count: str = "100", seed: str = "14") -> None:
    """Print the figure, and each use with a wrong answer."""
    sources = Sources(Path(folder).resolve())
    by_name: dict[tuple[Path, str], list[Use]] = {}
    for use in sources.uses():
        by_name.setdefault((use.path, use.name), []).append(use)
    chance = random.Random(seed)
    chosen = chance.sample(sorted(by_name), min(int(count), len(by_name)))
    right, spent = 0, 0.0
    with started([sys.executable, "-m", "ipu_lsp"]) as client:
        client.initialize(Path(folder).resolve())
        settings = {"includePaths": sorted(map(str, sources.include_paths))}
        client.notify("workspace/didChangeConfiguration", {"settings": {"ipu": settings}})
        for key in chosen:
            use = chance.choice(by_name[key])
            text = sources.texts[use.path]
            client.open(use.path.as_uri(), "colossus-asm", text)
            start = time.perf_counter()
            wrong = check(client, use)
            spent += time.perf_counter() - start
            client.notify("textDocument/didClose", {"textDocument": {"uri": use.path.as_uri()}})
            right += not wrong
            if wrong:
                print(f"{use.path}:{use.line + 1}: {use.name}: {', '.join(wrong)}")
    print(f"{right} of {len(chosen)} names right, {spent / len(chosen) * 1000:.0f} ms each")


if __name__ == "__main__":
    main(*sys.argv[1:])
