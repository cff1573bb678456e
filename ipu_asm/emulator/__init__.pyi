from ipu_asm.emulator.code_runs import (
    ProgramRun as ProgramRun,
    run_program as run_program,
)
from ipu_asm.emulator.model import (
    MachineModel as MachineModel,
    NoMachineError as NoMachineError,
    machine_for as machine_for,
)
from ipu_asm.emulator.run import DebugAction as DebugAction
from ipu_asm.emulator.state import SavedState as SavedState
from ipu_asm.emulator.stops import (
    CycleLimitError as CycleLimitError,
    EmulatorError as EmulatorError,
    ExecutionFault as ExecutionFault,
    Fault as Fault,
    InstructionError as InstructionError,
    MachineFaultError as MachineFaultError,
    ProgramError as ProgramError,
    Refusal as Refusal,
    UnknownResultError as UnknownResultError,
)
from ipu_asm.targets.ipu.machine.ipu import Ipu as Ipu
from ipu_asm.targets.ipu.machine.model import (
    run_until_complete as run_until_complete,
    run_with_debug as run_with_debug,
)
from ipu_asm.targets.ipu.machine.state import (
    MULT_STAGE_MAP as MULT_STAGE_MAP,
    R_ACC_SIZE as R_ACC_SIZE,
    R_REG_SIZE as R_REG_SIZE,
    DType as DType,
    IpuState as IpuState,
    RegFile as RegFile,
    ipu_add as ipu_add,
    ipu_mult as ipu_mult,
)

__all__: list[str]
