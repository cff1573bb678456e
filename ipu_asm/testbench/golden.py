"""Golden files: arrays that were checked once, and that results must equal from then on."""

from __future__ import annotations

import io
import re
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np

from ipu_asm.config.file_writing import replace_file
from ipu_asm.config.files import FileError, file_error
from ipu_asm.testbench.arrays import Array
from ipu_asm.testbench.comparison import assert_bit_exact
from ipu_asm.testbench.data.numpy_files import array_header

FOLDER: Final = "golden"

_LONGEST_NAME: Final = 120
_UNSAFE: Final = re.compile(r"[^\w.,=+\[\]-]")
# numpy stores 8-bit floats under this name, whatever their sort; `ipu-run` reads and writes it.
_FLOAT8: Final = np.dtype("V1")


class GoldenFiles:
    """The golden files of one test, below the folder `golden` beside its file.

    `command` is the one that writes them. With `is_updating` they are written where they are
    missing or differ, and never otherwise.
    """

    def __init__(self, path: Path, test: str, command: str, is_updating: bool) -> None:
        """`path` is the file of the test, `test` its name with class and parameters."""
        self._folder = path.parent / FOLDER / path.stem
        self._test = test
        self._command = command
        self._is_updating = is_updating
        self._checked: set[Path] = set()
        self.written: list[str] = []

    def path(self, name: str = "") -> Path:
        return self._folder / f"{_file_name(self._test, name)}.npy"

    def check(self, actual: Any, name: str = "", *, ignore_nan_signs: bool = False) -> None:
        """Compare an array with its golden file, as `assert_bit_exact` does.

        A test with several arrays gives each a `name`. Raises AssertionError for a difference, for
        a missing file and for one that cannot be read, each with the command that updates it, and
        for one that cannot be written.
        """
        __tracebackhide__ = True
        path = self.path(name)
        if path in self._checked:
            raise ValueError(f"a golden file is checked once in a test, found `{path.name}` twice")
        self._checked.add(path)
        array = np.asarray(actual)
        if self._is_updating:
            self._update(path, array)
            return
        try:
            assert_bit_exact(array, _read(path, array), ignore_nan_signs=ignore_nan_signs)
        except AssertionError as error:
            error.add_note(f"expected is the golden file `{_shown(path)}`\n{self._remedy}")
            raise error.with_traceback(None) from None
        except FileNotFoundError:
            missing = f"there is no golden file `{_shown(path)}`"
            raise AssertionError(f"{missing}\n{self._remedy}") from None
        except (FileError, OSError, ValueError) as error:
            broken = f"the golden file `{_shown(path)}` cannot be read: {_reason(error)}"
            raise AssertionError(f"{broken}\n{self._remedy}") from None

    @property
    def _remedy(self) -> str:
        return f"if what was found is right, write it with: {self._command}"

    def _update(self, path: Path, array: Array) -> None:
        __tracebackhide__ = True
        data = _npy(array)
        if path.is_file() and path.read_bytes() == data:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(str(path), data)
        except (FileError, OSError) as error:
            unwritten = f"the golden file `{_shown(path)}` cannot be written: {_reason(error)}"
            raise AssertionError(unwritten) from None
        self.written.append(_shown(path))


def _file_name(test: str, name: str) -> str:
    """The name of a file for an array of a test.

    Different ones differ, also where a file system takes upper and lower case as the same.
    """
    wanted = f"{test}-{name}" if name else test
    safe = _UNSAFE.sub("_", wanted.replace("::", "."))
    is_plain = safe == wanted and safe == safe.lower()
    if is_plain and len(safe) <= _LONGEST_NAME:
        return safe
    digest = sha256(wanted.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe[:_LONGEST_NAME]}-{digest}"


def _npy(array: Array) -> bytes:
    """The .npy file of an array, in row-major order and little-endian."""
    plain = np.ascontiguousarray(array).reshape(array.shape)
    if _is_float8(plain):
        plain = plain.view(_FLOAT8)
    file = io.BytesIO()
    np.save(file, plain.astype(plain.dtype.newbyteorder("<")), allow_pickle=False)
    return file.getvalue()


def _read(path: Path, like: Array) -> Array:
    """The array of a golden file; 8-bit floats are of the sort of `like`."""
    content = path.read_bytes()
    array_header(content, path.name)  # numpy would take another file for a pickle
    array: Array = np.load(io.BytesIO(content), allow_pickle=False)
    return array.view(like.dtype) if array.dtype == _FLOAT8 and _is_float8(like) else array


def _reason(error: Exception) -> str:
    """Why a file cannot be used, without its name."""
    return (error if isinstance(error, FileError) else file_error("", error)).reason


def _is_float8(array: Array) -> bool:
    return array.itemsize == 1 and array.dtype.kind not in "biuS"


def _shown(path: Path) -> str:
    """The path relative to the current directory, if it is inside it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
