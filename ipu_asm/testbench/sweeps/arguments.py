"""Checks of the arguments of a sweep, before its first run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Iterable, Iterator, Mapping, Sized

from ipu_asm.emulator.arguments import require_callable, require_path

_OUTPUT: Final = "an output is the name of a register, or (address, shape, dtype)"


def require_mapping(value: Any, what: str) -> None:
    """Raise TypeError for what is no mapping; `what` says what it should have been."""
    __tracebackhide__ = True
    if not isinstance(value, Mapping):
        raise TypeError(f"{what}, found {type(value).__name__}")


def require_functions(functions: Mapping[str, Any], executor: Any) -> None:
    """Raise TypeError unless all are functions or None, and the executor can execute them."""
    __tracebackhide__ = True
    for name, function in functions.items():
        require_callable(function, f"`{name}`")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        found = type(executor).__name__
        raise TypeError(f"`executor` is a `concurrent.futures.Executor`, found {found}")


def require_outputs(outputs: Any) -> None:
    """Raise TypeError for outputs of another form than `sweep` takes."""
    __tracebackhide__ = True
    require_mapping(outputs, "`outputs` is a mapping of names to what is read")
    for name, output in outputs.items():
        is_array = isinstance(output, (tuple, list)) and len(output) == 3
        if not is_array and not isinstance(output, str):
            raise TypeError(f"{_OUTPUT}, found {output!r} for `{name}`")


def failure_folder(folder: Any) -> Path | None:
    """Return the folder for failures. Raises TypeError, and NotADirectoryError for a file."""
    __tracebackhide__ = True
    if folder is None:
        return None
    require_path(folder, "`failures` is the path of a folder")
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(f"`failures` is the path of a folder, found the file `{path}`")
    return path


def rows_of(inputs: Any) -> tuple[Iterable[Any], int | None]:
    """Return the inputs one by one, and their number, if it is known.

    Raises TypeError for what has no inputs, ValueError for stacks of different lengths.
    """
    __tracebackhide__ = True
    if isinstance(inputs, Mapping):
        return _unstacked(inputs), _stacked_count(inputs)
    if isinstance(inputs, (str, bytes)) or not isinstance(inputs, Iterable):
        found = type(inputs).__name__
        raise TypeError(f"inputs are an iterable, or a mapping to stacked values, found {found}")
    return inputs, len(inputs) if isinstance(inputs, Sized) else None


def _unstacked(stacked: Mapping[Any, Any]) -> Iterator[dict[Any, Any]]:
    """The inputs of values that are stacked along their first axes."""
    for row in zip(*stacked.values(), strict=True):
        yield dict(zip(stacked, row))


def _stacked_count(stacked: Mapping[Any, Any]) -> int:
    __tracebackhide__ = True
    for place, values in stacked.items():
        if not isinstance(values, Sized):
            found = f"found {type(values).__name__} for {place!r}"
            raise TypeError(f"stacked inputs are sequences or arrays, {found}")
    counts = {len(values) for values in stacked.values()}
    if len(counts) != 1:
        found = " and ".join(map(str, sorted(counts))) or "none"
        raise ValueError(f"stacked inputs have one length, found {found}")
    return counts.pop()
