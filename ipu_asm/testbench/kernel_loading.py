"""Kernels for a bench: found in folders, read in one context, with every mistake in the error."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Final, Mapping, Sequence

from ipu_asm.assembler.encode import AssemblyError
from ipu_asm.assembler.images import ImageError
from ipu_asm.assembler.kernel import Kernel, RejectedSourceError
from ipu_asm.config import ConfigurationError, Value
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.files import FileError
from ipu_asm.config.isa_choice import UNCLAIMED, choose_isa
from ipu_asm.config.schema import SettingError
from ipu_asm.config.source_keys import checked_values
from ipu_asm.diagnostics.rendering import render
from ipu_asm.emulator.arguments import require_path
from ipu_asm.emulator.code_runs import assemble_any_kernel, read_any_kernel
from ipu_asm.emulator.stops import ProgramError
from ipu_asm.isa import DEFAULT_ISA, load_isa, manifests
from ipu_asm.isa.model import Isa
from ipu_asm.program.line_table import (
    ContextChoiceError,
    EffectiveProgram,
    read_effective_program,
    require_one_context,
)
from ipu_asm.source.expansion import SourceSettings, source_settings
from ipu_asm.text import SourceFile

_TEXT_NAME: Final = "<kernel>"


def isa_of_folder(folder: Path) -> str:
    """Return the set that the configuration names for kernels in a folder, else the default."""
    try:
        found = Configurations().nearest(os.path.abspath(folder))
    except ConfigurationError:
        return DEFAULT_ISA  # loading a kernel tells what is wrong
    return _with_machine(found.isa if found else None) or DEFAULT_ISA


def isa_of_file(path: str | os.PathLike[str], folders: Sequence[Path], otherwise: str) -> str:
    """Return the set of a kernel as the commands choose it, `otherwise` where nothing names it.

    Raises FileNotFoundError.
    """
    __tracebackhide__ = True
    return _with_machine(_stated_isa(_find_file(path, folders))) or otherwise


def _with_machine(name: str | None) -> str:
    manifest = manifests().get(name) if name else None
    is_run = manifest is not None and (manifest.has_machine or manifest.runs_machine_code)
    return name if name and is_run else ""


def _stated_isa(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8", "replace")
        configuration = Configurations().nearest(os.path.dirname(os.path.abspath(path)))
    except (OSError, ConfigurationError):
        return UNCLAIMED
    return choose_isa(text, str(path), None, configuration, UNCLAIMED).name


def kernel_of_file(
    path: str | os.PathLike[str],
    folders: Sequence[Path],
    defines: Mapping[str, Value],
    otherwise: str = DEFAULT_ISA,
) -> Kernel:
    """Return the kernel of a source or image file; a relative path is searched in the folders.

    Where nothing names its set, it is one for `otherwise`. Raises FileNotFoundError, else as
    `Bench.load` does.
    """
    __tracebackhide__ = True
    given, found = _defines(defines), _find_file(path, folders)
    name = _display_path(found)

    def read(isa: Isa, source: SourceFile) -> EffectiveProgram:
        folder = os.path.dirname(os.path.abspath(found))
        configuration = Configurations().nearest(folder)
        settings = source_settings(str(found), configuration, checked_values(given))
        return read_effective_program(isa, source, settings)

    isa_name = None if otherwise == DEFAULT_ISA or _stated_isa(found) else otherwise
    return _checked(lambda: read_any_kernel(found.read_bytes(), name, isa_name, read), name)


def kernel_of_text(text: str, isa_name: str, defines: Mapping[str, Value]) -> Kernel:
    """Return the kernel of a source text, for the set that a comment names, else for `isa_name`.

    Raises as `Bench.load` does.
    """
    __tracebackhide__ = True
    given = _defines(defines)

    def read(isa: Isa, source: SourceFile) -> EffectiveProgram:
        settings = SourceSettings(overrides=checked_values(given))
        return read_effective_program(isa, source, settings)

    def assembled() -> Kernel:
        isa = load_isa(choose_isa(text, _TEXT_NAME, otherwise=isa_name).name)
        return assemble_any_kernel(SourceFile(text, _TEXT_NAME), isa, read)

    return _checked(assembled, _TEXT_NAME)


def _defines(defines: Any) -> Mapping[str, Value]:
    __tracebackhide__ = True
    if not isinstance(defines, Mapping):
        raise TypeError(
            f"`defines` is a mapping of names to values, found {type(defines).__name__}"
        )
    return defines


def _find_file(path: str | os.PathLike[str], folders: Sequence[Path]) -> Path:
    """The file of that path in the first folder that has it. Raises FileNotFoundError."""
    __tracebackhide__ = True
    require_path(path, "a kernel is the path of a source file")
    places = [folder / path for folder in folders]
    for place in places:
        if place.is_file():
            return place
    for place in places:
        if place.is_dir():
            found = f"the folder `{_display_path(place)}`"
            raise FileNotFoundError(f"a kernel is the path of a source file, found {found}")
    tried = " or ".join(dict.fromkeys(f"`{_display_path(place)}`" for place in places))
    raise FileNotFoundError(f"a kernel is the path of a source file, found no {tried}")


def _checked(read: Callable[[], Kernel], name: str) -> Kernel:
    """The kernel that `read` returns from the file `name`, if it has one context."""
    __tracebackhide__ = True
    try:
        kernel = read()
        require_one_context(kernel.expansions)
    except RejectedSourceError as rejected:
        error = AssemblyError(rejected.findings)
        error.add_note("\n\n".join(render(f, rejected.source) for f in rejected.findings))
        raise error from None
    except ProgramError as unlinked:
        raise unlinked.with_traceback(None) from None
    except ImageError as image_error:
        image_error.add_note(f"in the image `{name}`")
        raise image_error.with_traceback(None) from None
    except (FileError, ConfigurationError) as problem:
        raise problem.with_traceback(None) from None
    except (SettingError, ContextChoiceError) as unusable:
        raise ValueError(f"`defines` of `{name}`: {unusable}") from None
    return kernel


def _display_path(path: Path) -> str:
    """The path relative to the current directory, if it is inside it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
