#!/usr/bin/env python3
"""Builds the playground: static files in `playground/dist`, for any host.

    python playground/build.py          in an environment with the project

Needs Node.js with npm; the page's packages come from `package-lock.json`. Of Python's packages it
takes those that are installed.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from itertools import product
from pathlib import Path
from typing import Any, Mapping

PLAYGROUND = Path(__file__).resolve().parent
PROJECT = PLAYGROUND.parent
sys.path.insert(0, str(PROJECT))

from ipu_asm.emulator.model import machine_for  # noqa: E402
from ipu_asm.isa import load_isa, manifests  # noqa: E402

FINISHED = PLAYGROUND / "dist"
DIST = PLAYGROUND / "build"
DISTRIBUTIONS = (
    "attrs", "cattrs", "Jinja2", "lsprotocol", "markdown-it-py", "MarkupSafe", "mdurl",
    "platformdirs", "pygls", "typing_extensions",
)  # fmt: skip
LEFT_OUT = (
    "cattrs/preconf",
    "ipu_asm/debugger",
    "ipu_asm/emulator/core/build.py",
    "ipu_asm/testbench/coverage",
    "ipu_asm/testbench/sweeps",
    "ipu_lsp/debug_adapter",
    "markdown_it/cli",
    "pygls/cli",
)
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
# A host need not compress: these files are compressed already, and the worker unpacks them.
COMPRESSED = ("pyodide.asm.mjs", "pyodide.asm.wasm", "app.tar")
PAGES = {"index.html": "index.html", "style.css": "style.css"}


def main() -> int:
    """Build all; prints what a visitor is sent."""
    if not (PLAYGROUND / "node_modules").is_dir():
        quiet = ("--ignore-scripts", "--no-audit", "--no-fund")
        subprocess.run(["npm", "ci", *quiet], cwd=PLAYGROUND, check=True)
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        collect(Path(scratch))
        subprocess.run(["node", "pack.mjs", scratch, DIST], cwd=PLAYGROUND, check=True)
    for name in PYODIDE:
        shutil.copy(PLAYGROUND / "node_modules" / "pyodide" / name, DIST)
    write_lock_file()
    for name in PAGES:
        shutil.copy(PLAYGROUND / "src" / name, DIST)
    bundle("page.js", "worker.js")
    for name in COMPRESSED:
        (DIST / f"{name}.bin").write_bytes(gzip.compress((DIST / name).read_bytes(), 9, mtime=0))
        (DIST / name).unlink()
    sizes = {path.name: path.stat().st_size for path in sorted(DIST.iterdir())}
    for name, size in sizes.items():
        print(f"{size:12,}  {name}")
    shutil.rmtree(FINISHED, ignore_errors=True)
    DIST.rename(FINISHED)
    print(f"{sum(sizes.values()):12,}  in all")
    return 0


def write_lock_file() -> None:
    """Write the list of Pyodide's own packages, of which the page loads none."""
    lock = json.loads((PLAYGROUND / "node_modules/pyodide/pyodide-lock.json").read_text("utf-8"))
    (DIST / "pyodide-lock.json").write_text(json.dumps({**lock, "packages": {}}), encoding="utf-8")


def bundle(*names: str) -> None:
    """Bundle modules of the page, each by itself."""
    options = [
        "--bundle",
        "--format=esm",
        "--minify",
        "--target=es2022",
        "--external:./pyodide.mjs",
    ]
    sources = [f"src/{name}" for name in names]
    command = ["node_modules/.bin/esbuild", *options, f"--outdir={DIST}", *sources]
    subprocess.run([*command, "--log-level=warning"], cwd=PLAYGROUND, check=True)


def collect(folder: Path) -> None:
    """Copy all packages to a folder, with what the page needs beside them."""
    for name in ("ipu_asm", "ipu_lsp"):
        ignored = shutil.ignore_patterns("__pycache__", "core.wasm", "*.[ch]", "*.pyi")
        shutil.copytree(PROJECT / name, folder / name, ignore=ignored)
    shutil.copytree(PROJECT / "docs" / "rules", folder / "ipu_asm" / "docs" / "rules")
    grammars = shutil.ignore_patterns("*.json", "tree-sitter*")
    shutil.copytree(PROJECT / "grammars", folder / "ipu_asm" / "grammars", ignore=grammars)
    for name in DISTRIBUTIONS:
        for file in metadata.files(name) or ():
            kept = file.suffix == ".py" or file.name in ("METADATA", "entry_points.txt", "py.typed")
            if kept and ".." not in file.parts:
                target = folder / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), target)
    for name in LEFT_OUT:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for name in manifests():
        shutil.rmtree(folder / "ipu_asm" / "targets" / name / "machine", ignore_errors=True)
    shutil.copy(PLAYGROUND / "src" / "host.py", folder)
    write_cores(folder / "cores")
    write_examples(folder / "workspace")


def write_cores(folder: Path) -> None:
    """Write down what is known of each core; the compiled files go beside the page."""
    folder.mkdir()
    for name, manifest in manifests().items():
        core = machine_for(name).Machine.core if manifest.has_machine else None
        if core is not None:
            shutil.copy(core.module, DIST / f"core-{name}.wasm")
            facts = json.dumps(facts_of(name))
            (folder / f"{name}.json").write_text(facts, encoding="utf-8")
            (DIST / f"core-{name}.json").write_text(facts, encoding="utf-8")


def facts_of(name: str) -> dict[str, Any]:
    """What the page must know of a core and of the state that it works on."""
    model = machine_for(name)
    core, layout = model.Machine.core, model.layout
    vectors = {each: [at.start, at.stop] for each, at in layout.vector_places.items()}
    return {
        "slots": {slot: [f.structure.format, f.fields] for slot, f in core.slots.items()},
        "rows": {
            method: [row.opcode, {field: list(source) for field, source in row.sources.items()}]
            for method, row in core.rows.items()
        },
        "order": model.Machine.execution_order,
        "bundleSize": core.bundle_size,
        "blockSize": layout.block_size,
        "block": layout.initial_block.hex(),
        "scalars": layout.scalar_names,
        "scopes": {title: list(names) for title, names in model.scopes.items()},
        "vectors": {each: vectors[each] for each in (*model.vectors_shown, *vectors)},
        "memorySize": model.memory_size,
        "programLimit": model.program_limit,
        "wordBits": load_isa(name).word_bits,
        "options": {option.name: option.choices for option in choices_of(name)},
        "modes": dict(modes_of(name)),
    }


def choices_of(name: str) -> list[Any]:
    """The options of the host that are a choice; the page offers no others."""
    return [option for option in manifests()[name].host_options if option.kind == "choice"]


def modes_of(name: str) -> Any:
    """For each combination of choices the core's setting and the registers after reset."""
    model, options = machine_for(name), choices_of(name)
    for values in product(*(option.choices for option in options)):
        settings: Mapping[str, str] = dict(zip((o.name for o in options), values))
        state = model.make_state(settings)
        machine = model.make_machine(state, settings)
        yield (
            ",".join(values),
            {
                "option": model.Machine.core.option(machine),
                "scalars": list(map(int, state.regfile.scalars)),
            },
        )


def write_examples(folder: Path) -> None:
    """Copy the examples with their data; `examples.json` lists the programs for the page."""
    shutil.copytree(PROJECT / "examples", folder, ignore=shutil.ignore_patterns("*.py", "apps"))
    extensions = {
        extension: name
        for name, manifest in reversed(list(manifests().items()))
        for extension in (*manifest.extensions, *manifest.shared_extensions)
    }
    listed = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        isa = path.parent.name if path.parent.name in manifests() else extensions.get(path.suffix)
        if path.is_file() and isa and path.suffix not in (".toml", ".h", ".npy", ".bin"):
            listed.append({"isa": isa, "name": name, "text": path.read_text(encoding="utf-8")})
    known = {
        m.language_id: m.extensions[0] for m in reversed(list(manifests().values())) if m.extensions
    }
    sets = [
        {
            "name": name,
            "title": manifest.title,
            "language": manifest.language_id,
            "extension": (*manifest.extensions, known[manifest.language_id])[0],
        }
        for name, manifest in manifests().items()
    ]
    page = {"sets": sets, "examples": listed}
    (DIST / "examples.json").write_text(json.dumps(page), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
