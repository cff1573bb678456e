"""Places in a program as users write them: `loop`, `loop+2`, `12`, `kernel.s:12`, `*5`."""

from __future__ import annotations

import os
import re
from typing import Final

from ipu_asm.debugger.breakpoint_resolver import ResolvedBreakpoint
from ipu_asm.debugger.console.command_io import whole_number
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import ExpressionError, LiveContext, quoted
from ipu_asm.diagnostics.suggestions import nearest_of

_LINE: Final = re.compile(r"(?:(?P<file>.+):)?(?P<line>[0-9]{1,9})", re.ASCII)
_BEHIND_LABEL: Final = re.compile(r"(?P<label>[^\s+]+)\s*\+\s*(?P<distance>[0-9]{1,9})", re.ASCII)
EXPECTED: Final = "a label, `label+N`, a line, `FILE:LINE` or `*ADDRESS`"


class LocationError(Exception):
    """The text names no bundle of the program; the message says what is expected."""


def is_location(debugger: Debugger, text: str) -> bool:
    """Return whether a text has the form of a location rather than that of an expression."""
    near = _BEHIND_LABEL.fullmatch(text)
    name = near["label"] if near else text
    is_place = text.startswith("*") or _LINE.fullmatch(text) is not None
    return is_place or name in debugger.program.label_addresses


def resolve(debugger: Debugger, context: LiveContext, text: str) -> ResolvedBreakpoint:
    """Return the bundles at a location. Raises `LocationError`."""
    if text.startswith("*"):
        return _at_address(debugger, _address(context, text[1:]), text)
    line = _LINE.fullmatch(text)
    if line is not None:
        if line["file"]:
            _check_file(debugger, line["file"])
        return _on_line(debugger, int(line["line"]))
    near = _BEHIND_LABEL.fullmatch(text)
    label, distance = (near["label"], int(near["distance"])) if near else (text, 0)
    found = debugger.resolver.at_label(label)
    if found is None:
        raise _unknown(debugger, label)
    return found if not distance else _at_address(debugger, found.address + distance, text)


def _unknown(debugger: Debugger, label: str) -> LocationError:
    labels = tuple(debugger.program.label_addresses)
    near = nearest_of(label, labels)
    if near:
        return LocationError(f"no label is called {quoted(label)}; did you mean `{near}`?")
    return LocationError(f"expected {EXPECTED}, found {quoted(label)}")


def _address(context: LiveContext, text: str) -> int:
    try:
        return whole_number(context, text, "`*` takes the address of a bundle")
    except ExpressionError as error:
        raise LocationError(error.message) from error


def _at_address(debugger: Debugger, address: int, text: str) -> ResolvedBreakpoint:
    found = debugger.resolver.at_address(address)
    if found is None:
        size = debugger.program.size
        raise LocationError(
            f"the program has bundles 0 to {size - 1}, found {address} for {quoted(text)}"
        )
    return found


def _on_line(debugger: Debugger, line: int) -> ResolvedBreakpoint:
    count = len(debugger.lines.source.lines.starts)
    if not 1 <= line <= count:
        raise LocationError(
            f"the source has lines 1 to {count}, found {line} (`*{line}` is bundle {line})"
        )
    found = debugger.resolver.on_line(line - 1)
    if found is None:
        raise LocationError(f"line {line}: {debugger.resolver.reason(line - 1)}")
    return found


def _check_file(debugger: Debugger, name: str) -> None:
    """Raise `LocationError` for a file other than the source of the program."""
    path = debugger.lines.source.path
    shown = path.removesuffix(" (expansion)")
    if os.path.basename(name) != os.path.basename(shown) or not _ends_alike(name, shown):
        raise LocationError(f"the source of the program is {quoted(shown)}, found {quoted(name)}")


def _ends_alike(name: str, path: str) -> bool:
    """Whether two paths may be the same file: one is the end of the other."""
    ours = os.path.normpath(os.path.join(os.getcwd(), path))
    theirs = os.path.normpath(name)
    return ours == theirs or ours.endswith(os.sep + theirs.lstrip("./"))
