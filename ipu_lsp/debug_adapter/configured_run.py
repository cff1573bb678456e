"""The inputs that `[kernel."GLOB".run]` gives to a launch that gives none."""

from __future__ import annotations

import os
from typing import Any, Final

from ipu_asm.config.configuration import ConfigurationError
from ipu_asm.config.kernel_runs import FoundRun, configured_run
from ipu_asm.isa import manifests
from ipu_asm.testbench.data.source import DataError, data_of
from ipu_lsp.debug_adapter.client import path_of
from ipu_lsp.debug_adapter.object_reader import HOST_FIELDS, LaunchError
from ipu_lsp.json_types import Json

_INPUTS: Final = ("cr", "lr", "load", "expect", *HOST_FIELDS)


def finds_inputs(arguments: Json) -> bool:
    """Return whether the inputs of a launch are looked for, because it gives none itself."""
    return arguments.get("findInputs") is not False and not any(map(arguments.get, _INPUTS))


def with_configured_run(arguments: Json) -> tuple[Json, str]:
    """Return launch arguments with the inputs of the configuration, and the name of its file.

    The arguments are as they were, and the name is empty, where there are none, where they are not
    looked for, and where reading the program will tell what is wrong. Raises `LaunchError` for data
    that cannot be used as written.
    """
    program, folder = arguments.get("program"), arguments.get("cwd") or os.curdir
    is_found = finds_inputs(arguments)
    if not is_found or not isinstance(program, str) or not isinstance(folder, str):
        return arguments, ""
    try:
        path = os.path.abspath(os.path.join(path_of(folder), os.path.expanduser(path_of(program))))
        found = configured_run(path)
    except (ValueError, ConfigurationError):
        return arguments, ""
    if found is None:
        return arguments, ""
    return {**arguments, **_launch(found, arguments.get("define"))}, found.origin


def _launch(found: FoundRun, define: Any) -> Json:
    """The inputs as the fields of a launch configuration."""
    run = found.run
    fields = {
        option.name: option.field
        for manifest in manifests().values()
        for option in manifest.host_options
    }
    launch: dict[str, Any] = {fields[name]: value for name, value in run.settings.items()}
    launch["cr"] = {str(number): value for number, value in run.cr.items()}
    launch["lr"] = {str(number): value for number, value in run.lr.items()}
    try:
        launch["load"] = [_data(text, found.folder) for text in run.load]
        launch["expect"] = [_data(text, found.folder) for text in run.expect]
    except DataError as error:
        raise LaunchError([f"{found.origin}: {error}"]) from None
    if run.define and (define is None or isinstance(define, dict)):
        launch["define"] = {**run.define, **(define or {})}
    return launch


def _data(text: str, folder: str) -> Json:
    data = data_of(text)
    source, (address, shape, dtype) = data.source.below(folder), data.place
    name = source.text if source.generator else source.file
    found: dict[str, Any] = {"file": f"{name}[{source.member}]" if source.member else name}
    found["address"] = address
    if shape is not None:
        found["length"] = "x".join(map(str, shape)) if len(shape) > 1 else shape[0]
    if dtype is not None:
        found["dtype"] = dtype
    return found
