"""Values of registers in kernel tests, as far as they are written as numbers.

Of a function that loads a kernel by its file name, these statements count:

    ipu.cr[3] = 0x4000
    ipu.cr[0:4] = 0, 0x10000, rows, 1         # all but `rows`
    run(kernel, cr={3: 0x4000}, lr={"lr5": 3})

Tests are parsed, never executed.
"""

from __future__ import annotations

import ast
import operator
import os
from typing import Callable, Iterable, Iterator, Mapping

from ipu_asm.config.host_configurations import (
    HostConfiguration,
    is_word,
    read_small,
    register_values,
)

_BESIDE = ("", "test", "tests")
"""Folders of tests, in the folder of a kernel and in those above it."""
_MOST_FILES = 200
_FILES = ("cr", "lr")
_MOST_REGISTERS = 64

_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_SEQUENCES = (ast.Tuple, ast.List)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_test(name: str) -> bool:
    """Return whether pytest takes a file of this name for a test."""
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def tested(path: str, folders: Iterable[str]) -> Iterator[HostConfiguration]:
    """Yield the values in the tests that load the kernel at a path, file by file.

    Of the tests in and beside `folders`, only those that contain the kernel's name are parsed.
    """
    kernel = os.path.basename(path)
    for file in list(_tests(folders))[:_MOST_FILES]:
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
        numbers, values = list(range(first, min(last, first + _MOST_REGISTERS))), value.elts
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
