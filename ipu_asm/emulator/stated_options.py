"""Options of the host that a program or its project states.

Such as ``# CR wide = fp32, quantize = on`` in a comment, or the keys of ``[kernel."GLOB"]``.
"""

from __future__ import annotations

from typing import Any, Collection

from ipu_asm.config.kernel_keys import NAMED_VALUES, setting_text
from ipu_asm.flow.control_run.configurations import configurations_of
from ipu_asm.isa.manifest import HostOption
from ipu_asm.program.program import Program


class SeveralOptionsError(ValueError):
    """A program that states several values of an option; the message names them."""

    def __init__(self, option: HostOption, values: Collection[str]) -> None:
        self.option = option
        found = ", ".join(values)
        super().__init__(f"the program states several values, {found}; choose one")


def stated_options(
    program: Program, options: Collection[HostOption], given: Collection[str] = ()
) -> dict[str, Any]:
    """Return the options of a machine that its program states, apart from those `given`.

    Raises `SeveralOptionsError`.
    """
    found: dict[str, Any] = {}
    for option in options:
        if option.name in given or option.name not in NAMED_VALUES:
            continue
        values = dict.fromkeys(
            setting_text(option.name, each[option.name])
            for each in configurations_of(program)
            if option.name in each
        )
        if len(values) > 1:
            raise SeveralOptionsError(option, values)
        for text in values:
            found[option.name] = text == "on" if option.kind == "flag" else option.choice(text)
    return found
