"""Options of the host for a machine, as keyword arguments of Python."""

from __future__ import annotations

from enum import Enum
from typing import Any, Collection, Mapping

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.emulator.arguments import real_number, truth_value, whole_number
from ipu_asm.emulator.model import MachineModel
from ipu_asm.emulator.stated_options import SeveralOptionsError, stated_options
from ipu_asm.isa.manifest import HostOption


def checked_options(model: MachineModel, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with their values as the machine takes them.

    Raises ValueError and TypeError.
    """
    __tracebackhide__ = True
    known = {option.name: option for option in model.host_options}
    checked = {}
    for name, value in options.items():
        if name not in known:
            own = ", ".join(f"`{each}`" for each in known) or "no options"
            raise ValueError(f"the options of {model.isa_name} are {own}, found `{name}`")
        checked[name] = _checked(known[name], value)
    return checked


def checked_run_options(model: MachineModel, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a run as `checked_options` does; those of the state are refused."""
    __tracebackhide__ = True
    checked, own = checked_options(model, options), [each.name for each in model.run_options]
    for name in checked:
        if name not in own:
            remedy = f"set it with `configure({name}=...)`"
            raise ValueError(f"`{name}` belongs to the machine, not to a run: {remedy}")
    return checked


def options_of_kernel(
    model: MachineModel, kernel: Kernel, given: Collection[str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the options that a kernel or its project states, apart from those `given`.

    The second mapping has messages on options of which several values are stated.
    """
    stated: dict[str, Any] = {}
    undecided: dict[str, str] = {}
    for option in model.host_options:
        try:
            stated |= stated_options(kernel.program, [option], given)
        except SeveralOptionsError as error:
            undecided[option.name] = f"`{option.name}`: {error}"
    return stated, undecided


def _checked(option: HostOption, value: Any) -> Any:
    __tracebackhide__ = True
    if value is None:
        return option.default
    if option.kind == "choice":
        name = value.name if isinstance(value, Enum) else str(value)
        choice = option.choice(name)
        if choice is None:
            known = ", ".join(f"`{each}`" for each in option.choices)
            noun = "an element type" if option.register else f"`{option.name}`"
            raise ValueError(f"{noun} is one of {known}, found `{value}`")
        return choice
    if option.kind == "flag":
        return truth_value(value, f"`{option.name}`")
    if option.kind == "integer":
        value = whole_number(value, f"`{option.name}`")
    else:
        value = real_number(value, f"`{option.name}`")
    least, most = option.least, option.most
    if least is not None and most is not None and not least <= value <= most:
        raise ValueError(f"{option.name} must be {least} to {most}, found {value}")
    return value
