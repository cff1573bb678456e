"""Base class of the functional units of a machine."""

from __future__ import annotations

from ipu_asm.emulator.arguments import whole_number
from ipu_asm.emulator.vliw import VliwMachine
from ipu_asm.emulator.words import NAN_PAYLOADS_PROPAGATE
from ipu_asm.targets.ipu.machine.registers import DTYPE, RegFile
from ipu_asm.targets.ipu.machine.state import IpuState

_LARGEST_SHIFT = 31


class Unit(VliwMachine[IpuState]):
    """Access to the current state, `state`, and to the registers before the bundle, `snapshot`.

    `aaq_shift` is the distance in bits, 0 to 31, by which the instruction `aaq` shifts words right.
    """

    state_class = IpuState
    snapshot: RegFile
    _registers: RegFile

    def __init__(self, state: IpuState, aaq_shift: int = 0) -> None:
        aaq_shift = whole_number(aaq_shift, "`aaq_shift`")
        if not 0 <= aaq_shift <= _LARGEST_SHIFT:
            raise ValueError(f"aaq_shift must be 0 to {_LARGEST_SHIFT}, found {aaq_shift}")
        super().__init__(state)
        self.aaq_shift = aaq_shift

    @property
    def arguments(self) -> tuple[int]:
        """`aaq_shift`."""
        return (self.aaq_shift,)

    def _has_float_words(self) -> bool:
        """Whether words are float32; otherwise they are int32."""
        return self._scalars[DTYPE] != 0

    def _nans_may_be_wrong(self) -> bool:
        """Whether the last additions may have left NaNs whose bits must be corrected."""
        return self._float_errors.invalid or not NAN_PAYLOADS_PROPAGATE
