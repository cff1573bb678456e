"""The invariants of docs/architecture.md that can be read off the source and the import system."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Iterator, NamedTuple

import pytest

import ipu_asm
from ipu_asm.isa import available_isas, load_isa

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(
    path.relative_to(ROOT)
    for package in ("ipu_asm", "ipu_lsp")
    for path in (ROOT / package).rglob("*.py")
    if "compiled" not in path.parts
)
LENGTHS = {path: (ROOT / path).read_text(encoding="utf-8").count("\n") for path in SOURCES}

# The packages, from the ground up. A package imports those of the layers below its own, none beside
# it and none above; which modules it has is its own affair.
LAYERS = (
    ("named_tuple", "start"),
    ("text",),
    ("diagnostics",),
    ("isa",),
    ("config", "expressions"),
    ("source", "syntax"),
    ("bundle",),
    ("program",),
    ("flow",),
    ("lint", "assembler"),
    ("analysis", "emulator"),
    ("debugger", "reports"),
    ("testbench",),
    ("ide",),
    ("targets",),
    ("cli", "ipu_lsp", "__main__"),
)
HEIGHT = {package: height for height, layer in enumerate(LAYERS) for package in layer}
LONGEST_LINE = 100
LONGEST_FUNCTION = 60
LONG_FILE = 400
SMALL_FILE = 150
LONG_FUNCTION = 25
# Folders of files that are alike, each found by its place or listed in one table.
ONE_OF_MANY = {"rules", "handlers", "requests", "formats"}
# Small modules with one importer, each with what it would cost to put it there.
WORTH_A_FILE = {
    "ipu_asm/assembler/symbol_table.py": "with its reader it has more than 600 lines",
    "ipu_asm/emulator/notebook.py": "loads numpy",
    "ipu_asm/flow/packing/loop_forms.py": "one kind of rewriting",
    "ipu_asm/reports/performance/page.py": "a format of the report",
    "ipu_asm/testbench/golden.py": "loads numpy, a fixture of pytest",
    "ipu_asm/targets/aie/expressions.py": "a grammar beside operand types",
    "ipu_lsp/debug_adapter/server.py": "an entry point",
}
DATA = ("instruction_spec.py", "texts.py")
OF_EACH_SET = ("__main__.py", "description.py", "machine_code.py", "manifest.py")
# One makes calls out of the operand names of an instruction set, never out of what users write;
# one runs what Jinja's sandbox generates; one makes functions of numbers in machine code.
MAKERS_OF_CODE = (
    Path("ipu_asm/emulator/binding.py"),
    Path("ipu_asm/source/jinja/compiled.py"),
    Path("ipu_asm/targets/aie/machine/translation.py"),
)
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "misc"}
# Words that are a slot's, a flow's or Python's as well as a mnemonic.
ALSO_OTHER_THINGS = {
    "break", "acc", "aaq", "set", "add", "sub", "b", "and", "or", "abs", "nop", "event",
    "lda", "st", "run", "done", "min", "max", "not", "call", "sync", "B",
}  # fmt: skip


class Facts(NamedTuple):
    """What the tests ask of a source file; its tree, which is big, is not kept."""

    imports: tuple[tuple[str, tuple[str, ...]], ...]
    """Modules, each with the names that are imported from it."""
    functions: tuple[tuple[str, int], ...]
    """Every function with its number of lines."""
    called: frozenset[str]
    isa_questions: tuple[int, ...]
    """The lines that compare the name of an instruction set with something."""
    texts: tuple[tuple[int, str], ...]
    has_docstring: bool
    cached: tuple[tuple[str, str], ...]
    """Functions whose results a module holds, each with the types of its parameters."""


@cache
def facts_of(path: Path) -> Facts:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    constants = [node for node in nodes if isinstance(node, ast.Constant)]
    return Facts(
        tuple(_imports(path, nodes)),
        tuple(_functions(nodes)),
        frozenset(function.id for function in calls if isinstance(function, ast.Name)),
        tuple(getattr(node, "lineno", 0) for node in nodes if _asks_for_an_isa(node)),
        tuple((node.lineno, node.value) for node in constants if isinstance(node.value, str)),
        ast.get_docstring(tree) is not None,
        tuple(_cached(nodes)),
    )


def _imports(path: Path, nodes: list[ast.AST]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module or "", tuple(alias.name for alias in node.names)


def _functions(nodes: list[ast.AST]) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def _cached(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            decorators = map(ast.unparse, node.decorator_list)
            if any(each.partition("(")[0] in ("cache", "lru_cache") for each in decorators):
                yield node.name, ast.unparse(node.args)


def module_name(path: Path) -> str:
    """The dotted name of a source file."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path) for path in SOURCES}


def imports_of(path: Path) -> Iterator[str]:
    """Every module that a file imports anywhere, and the home of what `ipu_asm` itself offers."""
    for base, names in facts_of(path).imports:
        if not names:
            yield base
        for name in names:
            inner = f"{base}.{name}"
            yield inner if inner in MODULES else ipu_asm._HOMES.get(name, base)


def unit_of(module: str) -> str | None:
    """The package with a layer that a module belongs to; None for foreign ones and the API."""
    first, *rest = module.split(".")
    if first == "ipu_lsp":
        return first
    return rest[0] if first == "ipu_asm" and rest else None


def check_imports(path: Path) -> list[str]:
    """The imports of a file that do not point down."""
    importer = unit_of(module_name(path))
    if importer is None:
        return []
    imported = [(module, unit_of(module)) for module in imports_of(path)]
    return [
        f"{path} imports {module}"
        for module, unit in imported
        if unit is not None and unit != importer and HEIGHT[unit] >= HEIGHT[importer]
    ]


def circles() -> Iterator[set[str]]:
    """Every set of modules that import one another, directly or not."""
    imports = {
        module_name(path): {m for m in imports_of(path) if m in MODULES} - {module_name(path)}
        for path in SOURCES
    }
    reachable = {module: _reachable(module, imports) for module in imports}
    rest = {module for module in imports if module in reachable[module]}
    while rest:
        first = min(rest)
        circle = {other for other in reachable[first] if first in reachable[other]}
        rest -= circle
        yield circle


def _reachable(module: str, imports: dict[str, set[str]]) -> set[str]:
    """The modules that a module loads, itself only where it is part of a circle."""
    seen: set[str] = set()
    waiting = list(imports[module])
    while waiting:
        found = waiting.pop()
        if found not in seen:
            seen.add(found)
            waiting += imports[found]
    return seen


def loaded_by(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after a statement."""
    program = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def functions() -> Iterator[tuple[str, int]]:
    """Every function with its number of lines."""
    for path in SOURCES:
        yield from ((f"{path}: {name}", lines) for name, lines in facts_of(path).functions)


def test_every_package_has_a_layer() -> None:
    units = {unit for path in SOURCES if (unit := unit_of(module_name(path)))}
    assert units == set(HEIGHT)


def test_packages_import_only_those_of_lower_layers() -> None:
    assert [wrong for path in SOURCES for wrong in check_imports(path)] == []


def test_modules_do_not_import_one_another() -> None:
    assert list(circles()) == []


def test_only_instruction_sets_import_what_is_in_their_folders() -> None:
    wrong = [
        f"{path} imports {module}"
        for path in SOURCES
        if not _belongs_to_an_isa(path)
        for module in imports_of(path)
        if unit_of(module) == "targets"
    ]
    assert wrong == []


def test_machines_of_sets_import_no_other_set() -> None:
    names = available_isas()
    wrong = [
        (path, name)
        for path in SOURCES
        if _belongs_to_an_isa(path) and path.parts[2] in names
        for name in imports_of(path)
        for other in names
        if other != path.parts[2] and f"{name}.".startswith(f"ipu_asm.targets.{other}.")
    ]
    assert wrong == []


def _belongs_to_an_isa(path: Path) -> bool:
    return path.parts[1] == "targets"


def test_only_the_server_speaks_the_editors_protocols() -> None:
    for path in SOURCES:
        if path.parts[0] == "ipu_asm":
            foreign = {module.partition(".")[0] for module in imports_of(path)}
            assert not foreign & {"ipu_lsp", "lsprotocol", "pygls"}, path


def test_only_the_grammar_compiler_imports_lark() -> None:
    users = [path for path in SOURCES if "lark" in {m.partition(".")[0] for m in imports_of(path)}]
    assert users == [Path("ipu_asm/syntax/compile.py")]


def test_only_what_executes_programs_imports_numpy() -> None:
    numeric = {"numpy", "ml_dtypes"}
    users = {
        unit_of(module_name(path))
        for path in SOURCES
        if numeric & {module.partition(".")[0] for module in imports_of(path)}
    }
    assert users <= {"emulator", "testbench", "targets"}


@pytest.mark.parametrize(
    ("statement", "unloaded"),
    [
        (
            "import ipu_asm",
            {"numpy", "lark", "pygls", "pathlib", "ipu_asm.lint", "ipu_asm.targets.ipu"},
        ),
        (
            "import ipu_asm.analysis.analyzer",
            {"numpy", "lark", "pygls", "lsprotocol", "dataclasses"},
        ),
        (
            "import ipu_asm; ipu_asm.analyze('foo;; b x;;').diagnostics",
            {
                "numpy",
                "lark",
                "pygls",
                "lsprotocol",
                "dataclasses",
                "inspect",
                "json",
                "tomllib",
                "jinja2",
            },
        ),
        ("import ipu_asm; ipu_asm.assemble('acc;;')", {"numpy", "lark", "pygls", "ipu_asm.lint"}),
        (
            "import ipu_asm.cli.lint.actions",
            {"numpy", "lark", "pygls", "lsprotocol", "dataclasses", "jinja2"},
        ),
        ("import ipu_asm.cli.assembler.command", {"numpy", "lark", "pygls", "lsprotocol"}),
        ("import ipu_asm.emulator.state, ipu_asm.emulator.core.program", {"numpy"}),
        ("import ipu_asm.cli.run.command", {"numpy", "lark", "pygls", "prompt_toolkit"}),
        (
            "import ipu_asm.cli.mca.command",
            {"numpy", "lark", "pygls", "lsprotocol", "dataclasses", "jinja2"},
        ),
        (
            "import ipu_lsp.server.server",
            {"numpy", "lark", "jinja2", "ipu_asm.targets.ipu.machine.ipu"},
        ),
        (
            "import ipu_lsp.debug_adapter.__main__",
            {"numpy", "lark", "pygls", "lsprotocol", "ipu_asm.targets.ipu.machine.ipu"},
        ),
        (
            "from ipu_lsp.debug_adapter import server; server.requests.load_all()",
            {"lark", "pygls", "lsprotocol", "asyncio", "ipu_asm.lint", "ipu_lsp.server.server"},
        ),
    ],
)
def test_nothing_is_loaded_that_is_not_needed(statement: str, unloaded: set[str]) -> None:
    loaded = loaded_by(statement)
    assert unloaded & loaded == set()
    assert "ipu_asm" in loaded


def test_named_tuples_are_those_that_are_made_quickly() -> None:
    found = [path for path in SOURCES if ("typing", "NamedTuple") in _names_imported(path)]
    assert found == [Path("ipu_asm/named_tuple.py")]


def _names_imported(path: Path) -> set[tuple[str, str]]:
    return {(module, name) for module, names in facts_of(path).imports for name in names}


def test_nothing_evaluates_text_as_python() -> None:
    for path in set(SOURCES) - set(MAKERS_OF_CODE):
        assert facts_of(path).called.isdisjoint(("eval", "exec", "compile", "__import__")), path


def test_what_differs_between_instruction_sets_is_data() -> None:
    shared = [path for path in SOURCES if not _belongs_to_an_isa(path)]
    assert [f"{path}:{line}" for path in shared for line in facts_of(path).isa_questions] == []


def _asks_for_an_isa(node: ast.AST) -> bool:
    """Whether it compares the name of an instruction set with something."""
    if isinstance(node, ast.MatchValue):
        sides: list[ast.expr] = [node.value]
    elif isinstance(node, ast.Compare):
        # `"ipu" in settings` asks for a section of a file, not for an instruction set.
        sections = all(isinstance(op, ast.In | ast.NotIn) for op in node.ops)
        sides = node.comparators if sections else [node.left, *node.comparators]
    else:
        return False
    constants = [
        leaf for side in sides for leaf in ast.walk(side) if isinstance(leaf, ast.Constant)
    ]
    return any(constant.value in available_isas() for constant in constants)


def test_there_is_no_second_list_of_mnemonics() -> None:
    mnemonics = {mnemonic for name in available_isas() for mnemonic in load_isa(name).instructions}
    wrong = [
        f"{path}:{line} {text}"
        for path in SOURCES
        if not _belongs_to_an_isa(path)
        for line, text in facts_of(path).texts
        if text in mnemonics - ALSO_OTHER_THINGS
    ]
    assert wrong == []


def test_modules_are_called_after_what_they_hold() -> None:
    names = {part for path in SOURCES for part in path.with_suffix("").parts}
    assert names & EMPTY_NAMES == set()


def test_nearly_all_files_are_of_readable_length() -> None:
    lengths = {path: length for path, length in LENGTHS.items() if path.name not in DATA}
    long = [path for path, length in lengths.items() if length > LONG_FILE]
    assert len(long) <= len(lengths) / 20, long


def test_a_module_has_two_importers_or_is_worth_a_file() -> None:
    """One reader, one room: what a single module imports is part of it while both stay short."""
    importers: dict[str, set[str]] = {}
    for path in SOURCES:
        for module in imports_of(path):
            importers.setdefault(module, set()).add(module_name(path))
    small = [
        str(path)
        for path, length in LENGTHS.items()
        if length <= SMALL_FILE and path.name != "__init__.py" and not _is_one_of_many(path)
        if len(importers.get(module_name(path), set()) - {module_name(path)}) == 1
    ]
    assert set(small) <= set(WORTH_A_FILE), small


def _is_one_of_many(path: Path) -> bool:
    """Whether it is a rule, an editor feature, a command, a format, or what each set has."""
    return path.parts[-2] in ONE_OF_MANY or path.name in OF_EACH_SET


def test_no_function_is_long_and_most_are_short() -> None:
    lengths = dict(functions())
    assert {name: n for name, n in lengths.items() if n > LONGEST_FUNCTION} == {}
    assert sum(n > LONG_FUNCTION for n in lengths.values()) <= len(lengths) / 10


def test_no_line_is_wide() -> None:
    wide = [
        f"{path}:{number}"
        for path in SOURCES
        for number, line in enumerate((ROOT / path).read_text("utf-8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert wide == []


def test_every_module_says_what_it_holds() -> None:
    assert [path for path in SOURCES if LENGTHS[path] and not facts_of(path).has_docstring] == []


def test_files_with_which_folders_are_read_first_exist() -> None:
    named = {
        path.parent / name
        for path in SOURCES
        if path.name == "__init__.py"
        for name in re.findall(r"Begin with `([\w/]+\.py)`", _docstring(path))
    }
    assert len(named) > 30
    assert [path for path in named if not (ROOT / path).is_file()] == []


def _docstring(path: Path) -> str:
    text = ast.get_docstring(ast.parse((ROOT / path).read_text(encoding="utf-8"))) or ""
    return " ".join(text.split())


def test_nothing_comes_after_what_runs_a_file_as_a_command() -> None:
    for path in SOURCES:
        text = (ROOT / path).read_text(encoding="utf-8")
        _, found, rest = text.partition('\nif __name__ == "__main__":\n')
        assert not found or re.fullmatch(r"(?:    .*\n)+", rest), path


def test_no_cache_of_a_module_holds_programs_or_bundles() -> None:
    """What `tests/program/test_incremental_cache.py` counts for the caches that it meets."""
    wrong = [
        f"{path}: {name}"
        for path in SOURCES
        for name, types in facts_of(path).cached
        if re.search(r"\b(?:Program|Bundle|BundleSyntax|Analysis)\b", types)
    ]
    assert wrong == []


def test_an_analysis_is_frozen() -> None:
    analysis = ipu_asm.analyze("acc;;")
    with pytest.raises(AttributeError):
        analysis.more = 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        analysis.program.bundles[0].more = 1  # type: ignore[attr-defined]
