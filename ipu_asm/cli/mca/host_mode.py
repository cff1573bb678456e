"""The option of `ipu-mca` for the mode of the machine, which decides how far apart rows are."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Mapping

from ipu_asm.cli.run.host_options import WrongOptionError, variants_of
from ipu_asm.config.kernel_keys import WIDE, WIDE_MODES
from ipu_asm.isa.operands import quoted


def mode_help() -> str:
    """Return the help text of the option."""
    found = variants_of(WIDE)
    summary = next(iter(found.values())).summary
    stated = f"what a comment `# CR {WIDE} = ...` or ipu.toml states, else {WIDE_MODES[0]}"
    return f"{', '.join(found)}: {summary}: {', '.join(WIDE_MODES)} (default: {stated})"


def mode_number(text: str) -> int:
    """Return the number of a mode in configurations of the host. Raises `ArgumentTypeError`."""
    mode = text.lower()
    if mode not in WIDE_MODES:
        raise ArgumentTypeError(f"expected one of {', '.join(WIDE_MODES)}, found {quoted(text)}")
    return WIDE_MODES.index(mode)


def check_mode(isa_name: str, presets: Mapping[str, int]) -> None:
    """Check that the machine of a set has the mode, if one is given. Raises `WrongOptionError`."""
    if WIDE not in presets:
        return
    variants, mode = variants_of(WIDE), WIDE_MODES[presets[WIDE]]
    if isa_name not in variants:
        message = f"a mode of {', '.join(variants)}, found a program for {isa_name}"
        raise WrongOptionError(f"argument --{WIDE}: {message}")
    choices = variants[isa_name].choices
    if mode not in choices:
        expected = ", ".join(choices)
        raise WrongOptionError(f"argument --{WIDE}: expected one of {expected}, found `{mode}`")
