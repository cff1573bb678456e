#!/usr/bin/env python3
"""Builds the documentation site: static files in `build/site`, for any host.

    python docs/site/build.py [--without-playground]    in an environment with the extra `site`

The pages are those of the repository, in the same folders. Programs have the colours that the
language server gives them, and a link that opens them in the playground, which is built, too. A
link to a page, an anchor or a file that does not exist ends the build with status 1.
"""

from __future__ import annotations

import argparse
import base64
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import zlib
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from ipu_asm import analyze  # noqa: E402
from ipu_asm.config.files import source_extensions  # noqa: E402
from ipu_asm.config.isa_choice import choose_isa  # noqa: E402
from ipu_asm.ide.semantic_tokens import semantic_tokens, template_tokens  # noqa: E402
from ipu_asm.lint.rules import all_rules  # noqa: E402

FOLDER = Path(__file__).resolve().parent
BUILD = PROJECT / "build"
PAGES, SITE = BUILD / "pages", BUILD / "site"
PLAYGROUND = PROJECT / "playground"
HOME = "README.md"
OTHERS = (HOME, "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md")
PICTURES = (".png", ".svg", ".html")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
INDENTED = re.compile(r"^(- |\d+\. )(.*(?:\n{1,3}[ ]{2}.*)+)", re.MULTILINE)
FENCE = re.compile(r"^```([\w-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAMPLE_ABOVE = re.compile(r"(?:\*\*Example\*\*|## Example|## Use instead)\s*\Z")
STATED = re.compile(r"\bisa:\s*(\w+)")
SETS = {"asm": "ipu", "ipu": "ipu", "edgenpu": "edgenpu", "aie": "xdna1", "colossus": "colossus"}


def main() -> int:
    """Build all; returns the status of the first step that fails."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--without-playground", action="store_true", help="no links into it either")
    has_playground = not parser.parse_args().without_playground
    for folder in (PAGES, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    missing = [each for name in pages() for each in write_page(name, has_playground)]
    for each in missing:
        print(f"error: {each}", file=sys.stderr)
    if missing:
        return 1
    shutil.copytree(FOLDER / "assets", PAGES / "assets")
    shutil.copy(FOLDER / "zensical.toml", BUILD)
    zensical = Path(sys.executable).with_name("zensical")
    command = [str(zensical), "build", "--strict", "--config-file", str(BUILD / "zensical.toml")]
    status = subprocess.run(command, env={**os.environ, "NO_COLOR": "1"}).returncode
    if status == 0 and has_playground:
        if not (PLAYGROUND / "dist").is_dir():
            subprocess.run([sys.executable, PLAYGROUND / "build.py"], check=True)
        shutil.copytree(PLAYGROUND / "dist", SITE / "playground")
    return status


@cache
def pages() -> list[str]:
    """Return the paths of all pages, from the root of the repository."""
    own = sorted(path.relative_to(PROJECT).as_posix() for path in PROJECT.glob("docs/**/*.md"))
    return [*OTHERS, *own]


def write_page(name: str, has_playground: bool) -> list[str]:
    """Write a page as the generator reads it; returns a message for each link to no file."""
    text = (PROJECT / name).read_text(encoding="utf-8")
    missing: list[str] = []
    pieces, end = [], 0
    for match in FENCE.finditer(text):
        pieces.append(with_links(text[end : match.start()], name, has_playground, missing))
        pieces.append(program(match, name, text, has_playground))
        end = match.end()
    pieces.append(with_links(text[end:], name, has_playground, missing))
    target = PAGES / ("index.md" if name == HOME else name)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(pieces), encoding="utf-8")
    return missing


def with_links(text: str, name: str, has_playground: bool, missing: list[str]) -> str:
    """Return text of a page with links that lead somewhere on the site.

    A link to a program of the examples opens it in the playground; of a link to any other file or
    folder of the repository that is no page, the words are left.
    """
    folder = posixpath.dirname(name)

    def replaced(match: re.Match[str]) -> str:
        mark, words, link, anchor = match[1], match[2], match[3], match[4] or ""
        if "://" in link:
            return match[0]
        path = posixpath.normpath(posixpath.join(folder, link))
        source = PROJECT / path
        if not source.exists():
            missing.append(f"{name}: expected a file of the repository in a link, found `{link}`")
        if path == HOME:
            return f"[{words}]({posixpath.relpath('index.md', folder)}{anchor})"
        if path in pages():
            return match[0]
        if path.startswith("docs/") and source.suffix in PICTURES:
            (PAGES / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, PAGES / path)
            return match[0]
        isa = set_of(path) if path.startswith("examples/") and source.is_file() else None
        if isa and has_playground:
            example = path.removeprefix("examples/")
            return f"[{words}]({opening(name, isa, source.read_text('utf-8'), example)})"
        return "" if mark else words

    return INDENTED.sub(indented, LINK.sub(replaced, text))


def indented(match: re.Match[str]) -> str:
    """Indent the content of an item of a list by four columns, as Python-Markdown reads it."""
    mark, content = match[1], match[2]
    return mark + content.replace("\n" + " " * len(mark), "\n    ") + "\n"


def set_of(path: str) -> str | None:
    """Return the instruction set of an example; None for data."""
    if posixpath.splitext(path)[1] not in source_extensions():
        return None
    return choose_isa((PROJECT / path).read_text("utf-8"), path).name


def program(match: re.Match[str], page: str, text: str, has_playground: bool) -> str:
    """Return a block of a page; one with a program has colours, and opens in the playground."""
    language, code = match[1], match[2]
    isa = SETS.get(language.removesuffix("-asm"))
    is_sample = SAMPLE_ABOVE.search(text, max(0, match.start() - 40), match.start()) is not None
    if page.startswith("docs/rules/") and not language and is_sample:
        isa = next(r.isa for r in all_rules() if page.endswith(f"/{r.id.name}.md"))
    elif isa and page.startswith("docs/reference/"):
        isa = posixpath.basename(page).removesuffix(".md")
    elif page == "docs/ipu2.md" and isa == "ipu":
        isa = "ipu2"
    if isa is None or page == "docs/adding-an-instruction-set.md":
        return match[0]
    is_sample |= not page.startswith("docs/reference/")
    block = f'<div class="highlight"><pre><code>{coloured(code, isa)}</code></pre></div>'
    if is_sample and has_playground:
        stated = code if STATED.search(code) else f"# isa: {isa}\n{code}"
        link = opening(page, isa, stated)
        block += f'\n<p class="open"><a href="{link}">Open in the playground</a></p>'
    return block


def coloured(code: str, isa: str) -> str:
    """Return the HTML of a program with the kinds of words that the language server names."""
    analysis = analyze(code, isa)
    program = analysis.program
    tokens = (
        template_tokens(analysis)
        if analysis.expanded
        else [
            token._replace(span=token.span.shifted(start))
            for start, bundle in zip(program.starts, program.bundles)
            for token in semantic_tokens(program.isa, bundle)
        ]
    )
    pieces, end = [], 0
    for (start, stop), kind, _ in tokens:
        pieces.append(html.escape(code[end:start]))
        pieces.append(f'<span class="asm-{kind}">{html.escape(code[start:stop])}</span>')
        end = stop
    return "".join(pieces) + html.escape(code[end:])


def opening(page: str, isa: str, text: str, name: str = "") -> str:
    """Return the link from a page that opens a program, as `playground/src/share.js` reads it."""
    shared = json.dumps({"isa": isa, "name": name, "text": text, "registers": {}})
    compressor = zlib.compressobj(9, wbits=-15)
    packed = compressor.compress(shared.encode()) + compressor.flush()
    data = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    return posixpath.relpath("playground/index.html", posixpath.dirname(page)) + f"#1.{data}"


if __name__ == "__main__":
    sys.exit(main())
