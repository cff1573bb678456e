"""The debugger's ways through time: back over a million bundles, and what looking on costs."""

from __future__ import annotations

from functools import partial

from benchmarks import timing
from benchmarks.report import Target, number, print_table
from ipu_asm.assembler.encode import assemble
from ipu_asm.debugger.breakpoints import Breakpoint, DataBreakpoint, Trap
from ipu_asm.debugger.conditions import ExpressionCondition
from ipu_asm.debugger.debugger import Debugger, DebugOptions
from ipu_asm.debugger.expressions import LiveContext
from ipu_asm.debugger.expressions.program_names import live_context
from ipu_asm.debugger.queries import last_write, when_true
from ipu_asm.debugger.regions import Region
from ipu_asm.emulator import Ipu, IpuState
from ipu_asm.emulator.machine import Engine
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable

WAY = 1_000_000
QUICK_WAY = 100_000

SECONDS_FORWARD = 0.2
"""What the way with its keyframes may take."""

SECONDS_BACK = 0.3
"""What going back over the whole way may take, past what could stop but never does."""

SECONDS_OF_VECTORS = 1.0
"""The same where each element of a register is compared in each iteration."""

CONDITIONS = ("lr5 > 3", "lr6 == -1", "xmem[lr1] == 99", "cycle < 0", "sum(acc) == 7 && lr6 > 0")
CONDITION_ON_A_VECTOR = "any(r0 == 99)"
"""Nothing writes lr5; none of them ever holds."""

SECONDS_STEP_BACK = 0.015
"""What the median step back may take."""

SHARE_OF_A_RUN = 2.0
"""What continuing past a breakpoint that is never reached may cost, in plain runs on numpy."""

# Stores go all over the memory, so that keyframes share as little as they can.
PROGRAM = """\
set lr2 512; set lr3 1;; incr lr3 32767;; add lr4 lr3 lr3;; add lr4 lr4 lr4;;
add lr4 lr4 lr4;; add lr4 lr4 lr4;; add lr4 lr4 lr4;; add lr4 lr4 lr4;; sub lr4 lr4 lr2;;
again: ldr_cyclic_mult_reg lr1 cr0 lr0; mult.ee r0 lr0 lr0 lr0; acc;;
add lr1 lr1 lr2; incr lr6 1; str_acc_reg lr1 cr0;;
ldr_mult_reg r0 lr1 cr0; blt lr1 lr4 again;;
set lr1 0; b again;;
bkpt;;
"""


def run(quick: bool = False) -> list[Target]:
    """Measure, print, and return seconds and ratios as targets."""
    way = QUICK_WAY if quick else WAY
    watched = _debugger(way)
    watched.breakpoints.set_at_bundles([Breakpoint(watched.program.size - 1)])
    plain = Ipu(_state())
    plain.engine_choice = Engine.NUMPY
    forward = timing.timed(watched.continue_)
    ratio = forward / timing.timed(lambda: plain.run(way))
    seconds = {
        "forward, watched": forward,
        "back to the first bundle": timing.timed(lambda: watched.go_to(1)),
        "forward to the end": timing.timed(lambda: watched.go_to(way)),
        "back to the middle of a stretch": timing.timed(lambda: watched.go_to(3 * 4_096 - 1)),
    }
    watched.go_to(way)
    steps = [timing.timed(watched.step_back) for _ in range(300)]
    seconds["step back, median"] = timing.median(steps)
    seconds["step back, longest"] = max(steps)
    watched.go_to(way)
    byte = Region("xmem", (1 << 21) - 1, 1)
    seconds["back to the start, nothing hit"] = timing.timed(watched.reverse_continue)
    watched.go_to(way)
    seconds["who wrote a byte of memory"] = timing.timed(lambda: last_write(watched.runner, byte))
    _print(watched, way, seconds)
    past = _seconds_past(way)
    rows = [(what, number(value * 1e3)) for what, value in past.items()]
    print_table(f"past what never stops, over {way:,} bundles", ("what", "ms"), rows)
    back = max(seconds["back to the first bundle"], seconds["back to the middle of a stretch"])
    again = timing.timed(lambda: _debugger(way).go_to(way))
    vectors = {what for what in past if CONDITION_ON_A_VECTOR in what}
    slowest = max(value for what, value in past.items() if what not in vectors)
    return [
        Target(f"{way:,} bundles with keyframes, seconds", again, SECONDS_FORWARD),
        Target(f"{way:,} bundles back, seconds", back, SECONDS_BACK),
        Target("back past what never stops, the slowest, seconds", slowest, SECONDS_BACK),
        Target(
            "the same, on vectors, seconds", max(map(past.__getitem__, vectors)), SECONDS_OF_VECTORS
        ),
        Target("a step back, seconds", seconds["step back, median"], SECONDS_STEP_BACK),
        Target("a run with a breakpoint, plain runs", ratio, SHARE_OF_A_RUN),
    ]


def _seconds_past(way: int) -> dict[str, float]:
    """Seconds back to the first bundle, past what could stop in every iteration but never does."""
    debugger = _debugger(way)
    debugger.machine.engine_choice = Engine.CORE
    debugger.go_to(way)
    points, traps = debugger.breakpoints, debugger.breakpoints.traps
    loop = debugger.program.label_addresses["again"]
    seconds: dict[str, float] = {}

    def back(what: str) -> None:
        debugger.go_to(way)
        seconds[f"back, {what}"] = timing.timed(debugger.reverse_continue)

    for text in (*CONDITIONS, CONDITION_ON_A_VECTOR):
        points.set_at_bundles([Breakpoint(loop, _condition(debugger, text))])
        back(f"condition {text}")
    points.set_at_bundles([])
    never = _condition(debugger, "lr6 < 0")
    for where in (Region("lr5", 0, 4), Region("lr6", 0, 4), Region("r_acc", 508, 4)):
        points.set_at_data([DataBreakpoint(where, condition=never)])
        back(f"{where.name} watched")
    points.set_at_data([DataBreakpoint(Region("xmem", (1 << 21) - 1, 1))])
    back("a byte of memory watched")
    points.set_at_data([])
    points.traps = {**traps, Trap.OVERFLOW: never}
    back("overflow filter")
    for text in (*CONDITIONS, CONDITION_ON_A_VECTOR):
        debugger.go_to(way)
        ask = partial(when_true, debugger.runner, _condition(debugger, text))
        seconds[f"when {text}"] = timing.timed(ask)
    return seconds


def _condition(debugger: Debugger, text: str) -> ExpressionCondition:
    context = live_context(debugger.lines, debugger.state)

    def now() -> LiveContext:
        context.cycle = debugger.cycle
        return context

    return ExpressionCondition(now, text, on_error=lambda error: False)


def _state() -> IpuState:
    state = IpuState()
    state.load_program(assemble(PROGRAM))
    for address in range(0, 1 << 21, 1 << 12):
        state.xmem.write_address(address, bytes(range(64)))
    return state


def _debugger(way: int) -> Debugger:
    program = read_program(load_isa("ipu"), PROGRAM)
    return Debugger(LineTable(program), _state(), DebugOptions(max_cycles=way))


def _print(debugger: Debugger, way: int, seconds: dict[str, float]) -> None:
    keyframes = debugger.history.keyframes
    rows = [(what, number(value * 1e3)) for what, value in seconds.items()]
    rows.append(("keyframes", number(len(keyframes.cycles), 0)))
    rows.append(("keyframes, MiB", number(keyframes.size / (1 << 20), 0)))
    print_table(f"time travel over {way:,} bundles", ("what", "ms"), rows)
