"""Base class of the functional units of the machine."""

from __future__ import annotations

from ipu_asm.emulator.vliw import VliwMachine
from ipu_asm.emulator.words import NAN_PAYLOADS_PROPAGATE
from ipu_asm.targets.ipu2.machine.registers import Ipu2RegisterFile
from ipu_asm.targets.ipu2.machine.state import Ipu2State


class Unit(VliwMachine[Ipu2State]):
    """Access to the state and its mode."""

    state_class = Ipu2State
    snapshot: Ipu2RegisterFile
    _registers: Ipu2RegisterFile

    def __init__(self, state: Ipu2State) -> None:
        super().__init__(state)
        self._settings = state.settings
        self._has_float_words = state.settings.has_float_words

    def _nans_may_be_wrong(self) -> bool:
        """Whether the last float32 operation may have left NaNs whose bits must be corrected."""
        return self._float_errors.invalid or not NAN_PAYLOADS_PROPAGATE
