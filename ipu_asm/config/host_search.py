"""The search for launches and tests that say which registers the host of a kernel sets."""

from __future__ import annotations

import ast
import json
import operator
import os
import re
from typing import Any, Callable, Iterable, Iterator, Mapping

from ipu_asm.config.host_configurations import (
    HostConfiguration,
    is_word,
    read_small,
    register_values,
)

_BESIDE = ("", "test", "tests")
"""Folders of tests, in the folder of a kernel and in those above it."""

_MAX_FILES = 200
_FILES = ("cr", "lr")
_MAX_REGISTERS = 64
_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_SEQUENCES = (ast.Tuple, ast.List)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
LAUNCH_FILE = "launch.json"
LAUNCH_FOLDER = ".vscode"
_TYPE = "ipu"
_STRING = r'"(?:[^"\\]|\\.)*"'
_COMMENT = re.compile(rf"({_STRING})|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)
_FOLDER = re.compile(r"\$\{workspace(?:Folder|Root)(?::[^}]*)?\}")
_OPEN_FILES = ("${file}", "${relativeFile}")
WATCHED = (f"**/.vscode/{LAUNCH_FILE}", "**/test_*.py", "**/*_test.py")
"""Globs of the files that are read."""

_MAX_HOSTS = 16


def host_configurations(path: str, root: str) -> tuple[HostConfiguration, ...]:
    """Return what launch configurations and kernel tests say of the kernel at an absolute path.

    Only files below the folder `root` are read, in the kernel's folder and those above it.
    """
    found: dict[tuple[tuple[str, int], ...], HostConfiguration] = {}
    folders = list(_folders_up_to(os.path.dirname(path), root))
    for each in (*launches(path, folders), *tested(path, folders)):
        if each.values and len(found) < _MAX_HOSTS:
            found.setdefault(tuple(sorted(each.values.items())), each)
    return tuple(found.values())


def is_watched(path: str) -> bool:
    """Return whether a path may be that of a file that is read."""
    name = os.path.basename(path)
    return name == LAUNCH_FILE or is_test(name)


def _folders_up_to(folder: str, root: str) -> Iterator[str]:
    """Yield a folder and those above it, up to `root`; the folder alone if it is not below."""
    yield folder
    inside = os.path.join(root, "")
    while folder != root and folder.startswith(inside):
        folder = os.path.dirname(folder)
        yield folder


def launches(path: str, folders: Iterable[str]) -> list[HostConfiguration]:
    """Return the configurations that launch the program at a path, from the nearest file.

    `folders` are searched in their order. Configurations that launch any open file come last.
    """
    for folder in folders:
        file = os.path.join(folder, LAUNCH_FOLDER, LAUNCH_FILE)
        if os.path.isfile(file):
            found = list(_launches(read_small(file), path, folder))
            return [each for _, each in sorted(found, key=lambda pair: pair[0])]
    return []


def _launches(content: bytes, path: str, folder: str) -> Iterator[tuple[bool, HostConfiguration]]:
    """Yield configurations, each with whether it launches any file."""
    for each in _configurations(content):
        if not isinstance(each, dict) or each.get("type") != _TYPE:
            continue
        program, name = each.get("program"), each.get("name")
        is_any = program in _OPEN_FILES
        if is_any or (isinstance(program, str) and _is_at(program, folder, path)):
            values = {
                **register_values("cr", each.get("cr")),
                **register_values("lr", each.get("lr")),
            }
            origin = f"launch configuration {name:.60}" if isinstance(name, str) else LAUNCH_FILE
            yield is_any, HostConfiguration(values, origin)


def _configurations(content: bytes) -> list[Any]:
    try:
        text = content.decode("utf-8-sig")
        text = _COMMENT.sub(lambda match: match[1] or " ", text)
        found = json.loads(_TRAILING_COMMA.sub(lambda match: match[1] or "", text))
    except (ValueError, RecursionError):
        return []
    configurations = found.get("configurations") if isinstance(found, dict) else None
    return configurations if isinstance(configurations, list) else []


def _is_at(program: str, folder: str, path: str) -> bool:
    written = _FOLDER.sub(lambda _: folder, program)
    return os.path.normpath(os.path.join(folder, written)) == path


def is_test(name: str) -> bool:
    """Return whether pytest takes a file of this name for a test."""
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def tested(path: str, folders: Iterable[str]) -> Iterator[HostConfiguration]:
    """Yield the values in the tests that load the kernel at a path, file by file.

    Of the tests in and beside `folders`, only those that contain the kernel's name are parsed.
    """
    kernel = os.path.basename(path)
    for file in list(_tests(folders))[:_MAX_FILES]:
        content = read_small(file)
        if kernel.encode() in content:
            try:
                yield from list(_values_in(content, os.path.basename(file), kernel))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue  # no Python, or nested more deeply than any test


def _tests(folders: Iterable[str]) -> Iterator[str]:
    for folder in folders:
        for beside in _BESIDE:
            inner = os.path.join(folder, beside)
            try:
                names = sorted(os.listdir(inner))
            except OSError:
                continue
            yield from (os.path.join(inner, name) for name in names if is_test(name))


def _values_in(content: bytes, file: str, kernel: str) -> Iterator[HostConfiguration]:
    tree = ast.parse(content)
    for node in ast.walk(tree):
        if isinstance(node, _Function) and _loads(node, kernel):
            values: dict[str, int] = {}
            for inner in ast.walk(node):
                values.update(_assigned(inner))
            yield HostConfiguration(values, f"{file}:{node.lineno}")


def _loads(function: _Function, kernel: str) -> bool:
    """Return whether a string in a function is the name of the kernel, or a path that ends so."""
    return any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.replace("\\", "/").rpartition("/")[2] == kernel
        for node in ast.walk(function)
    )


def _assigned(node: ast.AST) -> dict[str, int]:
    """Return the registers that a statement or a call sets to numbers."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return dict(_of_assignment(node.targets[0], node.value))
    if isinstance(node, ast.keyword) and node.arg in _FILES and isinstance(node.value, ast.Dict):
        pairs = zip(node.value.keys, node.value.values)
        table = {key.value: _number(value) for key, value in pairs if isinstance(key, ast.Constant)}
        return register_values(node.arg, table)
    return {}


def _of_assignment(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, int]]:
    if not isinstance(target, ast.Subscript):
        return
    name = getattr(target.value, "attr", "")
    if name not in _FILES:
        return
    if not isinstance(target.slice, ast.Slice):
        numbers, values = [_number(target.slice)], [value]
    else:
        low, high = target.slice.lower, target.slice.upper
        first, last = _number(low) if low else 0, _number(high) if high else None
        if first is None or last is None or target.slice.step or not isinstance(value, _SEQUENCES):
            return
        numbers, values = list(range(first, min(last, first + _MAX_REGISTERS))), value.elts
    for number, item in zip(numbers, values):
        found = _number(item)
        if number is not None and found is not None:
            yield from register_values(name, {number: found}).items()


def _number(node: ast.expr) -> int | None:
    """Return the value of an expression of numbers; None for any other."""
    found: object = None
    if isinstance(node, ast.Constant):
        found = node.value
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _number(node.operand)
        found = None if value is None else -value
    elif isinstance(node, ast.BinOp):
        left, right = _number(node.left), _number(node.right)
        combine = _OPERATORS.get(type(node.op))
        if combine is not None and left is not None and right is not None:
            found = combine(left, right)
    return found if type(found) is int and is_word(found) else None
