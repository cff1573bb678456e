"""The search for what a kernel is run with where the user gives nothing."""

from __future__ import annotations

import os

from ipu_asm.config.configuration import Configuration, KernelRun
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.globs import path_matches
from ipu_asm.config.host_configurations import HostConfiguration
from ipu_asm.named_tuple import NamedTuple


class FoundRun(NamedTuple):
    """A run, the absolute folder of its files, and the configuration file that states it."""

    run: KernelRun
    folder: str
    origin: str


def configured_run(path: str, configuration: Configuration | None = None) -> FoundRun | None:
    """Return the run of the first table that matches a kernel; None if none does.

    By default the nearest file counts. Raises `ConfigurationError`.
    """
    if configuration is None:
        configuration = Configurations().nearest(os.path.dirname(os.path.abspath(path)))
    if configuration is None:
        return None
    ours, folder = configuration, configuration.folder
    run = next((run for glob, run in ours.runs if path_matches(glob, path, folder)), None)
    if run is None:
        return None
    return FoundRun(run, folder, configuration.path)


def configured_host(path: str, configuration: Configuration) -> HostConfiguration | None:
    """Return the registers of the run that a configuration has for a kernel; None without any."""
    found = configured_run(path, configuration) if configuration.runs else None
    if found is None:
        return None
    values = {
        f"{file}{number}": value
        for file, registers in (("cr", found.run.cr), ("lr", found.run.lr))
        for number, value in registers.items()
    }
    return HostConfiguration(values, os.path.basename(found.origin)) if values else None
