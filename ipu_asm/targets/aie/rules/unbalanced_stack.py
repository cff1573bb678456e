"""A function that moves the stack pointer, or takes more stack than there is.

## What it does
Adds up the steps of `sp` on the paths of each function. Reports a return after which `sp` does not
have the value that it had at the start of the function; and the step by which a function, with what
the functions of the file that it calls take, has more bytes than the budget: 1,024, or `stack` in
`[kernel."GLOB"]` of `ipu.toml`.

## Why
The caller finds its own variables relative to `sp`. If a step is missing, or an early return
leaves it out, the caller reads other bytes, and each call moves the stack further. The stack of a
core is a piece of its data memory that the linker reserves, 1,024 bytes unless told otherwise.
Nothing stops a function that takes more: it overwrites the buffers beside it.

## Example
```
    paddb [sp], #32
    st r16, [sp, #-32]
    lda r16, [sp, #-32]
    ret lr
    nop  # 5 times
```

## Use instead
```
    paddb [sp], #32
    st r16, [sp, #-32]
    lda r16, [sp, #-32]
    ret lr
    nop  # 4 times
    paddb [sp], #-32
```
"""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.config.kernel_keys import STACK
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.accesses import accesses_of
from ipu_asm.flow.control_flow import CALL, control_flow_of, function_size, functions_of
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.edits import LocalResult
from ipu_asm.program.program import Program
from ipu_asm.text import Span

RULE_ID = RuleId("X109", "unbalanced-stack", Severity.WARNING)

_POINTER, _MAX_BYTES = "sp", 1024


class _Stack(NamedTuple):
    """The steps of `sp` in a function; bundles are by number in the function.

    `returns` are bundles whose return leaves so many bytes after, and the step before it, if there
    is one. `deepest` has the bytes after the step that takes most, `calls` the bytes at each call
    of a label.
    """

    returns: tuple[tuple[int, int, int | None], ...] = ()
    deepest: tuple[int, int] | None = None
    calls: tuple[tuple[int, int, str], ...] = ()


def check(program: Program) -> Iterator[Diagnostic]:
    """Findings for returns with another stack pointer, and for too large a stack."""
    if not program.where(_steps_pointer):
        return
    stacks = {
        function.start: program.per_bundle(_stack_of, function.start)
        for function in functions_of(program)
    }
    for first, stack in stacks.items():
        for number, left, step in stack.returns:
            yield _unbalanced(program, first + number, left, None if step is None else first + step)
    yield from _too_deep(program, stacks)


@cached_on_bundle
def _step_of(isa: Isa, bundle: Bundle) -> int | None:
    """The bytes that a bundle adds to the stack pointer; None if that is not known."""
    step = 0
    for access in accesses_of(isa, bundle):
        if access.register == _POINTER and access.writes:
            instruction = bundle.instructions[access.instruction]
            values = [value for value in instruction.values if isinstance(value, int)]
            if not instruction.mnemonic.lower().startswith("padd") or not values:
                return None
            step += values[-1]
    return step


def _steps_pointer(isa: Isa, bundle: Bundle) -> bool:
    return bool(bundle.size) and _step_of(isa, bundle) != 0


def _stack_of(program: Program, first: int) -> LocalResult[_Stack]:
    size = program.per_bundle(function_size, first)
    bundles = program.bundles[first : first + size]
    return LocalResult(0, size, _stack_of_bundles(program.isa, bundles))


def _stack_of_bundles(isa: Isa, bundles: Sequence[Bundle]) -> _Stack:
    if not any(bundle.size and _step_of(isa, bundle) for bundle in bundles):
        return _Stack()
    graph = control_flow_of(isa, bundles)
    depths: dict[int, int] = {0: 0}
    steps: dict[int, int | None] = {0: None}
    waiting = [0]
    returns: dict[int, tuple[int, int | None]] = {}
    deepest = (0, 0)
    calls: list[tuple[int, int, str]] = []
    while waiting:
        address = waiting.pop()
        bundle = bundles[graph.numbers[address]]
        step = _step_of(isa, bundle)
        if step is None or bundle.has_unknown or bundle.has_uncertain_effect:
            return _Stack()
        depth = depths[address] + step
        last = address if step else steps[address]
        deepest = max(deepest, (depth, graph.numbers[address]), key=lambda each: each[0])
        calls += [(graph.numbers[address], depth, label) for label in _called(bundle)]
        if address in graph.returning and depth:
            returns[address] = depth, last
        for following in graph.following[address]:
            known = depths.setdefault(following, depth)
            if following not in steps:
                steps[following] = last
                waiting.append(following)
            elif known != depth:
                return _Stack()  # it depends on the path
    return _Stack(
        tuple(
            (_return_before(bundles, graph.numbers[a]), depth, _number(graph.numbers, step))
            for a, (depth, step) in sorted(returns.items())
        ),
        deepest if deepest[0] else None,
        tuple(calls),
    )


def _number(numbers: Sequence[int], address: int | None) -> int | None:
    return None if address is None else numbers[address]


def _called(bundle: Bundle) -> Iterator[str]:
    for instruction in bundle.instructions:
        if instruction.spec is not None and CALL in instruction.spec.traits:
            yield from (value for value in instruction.values if isinstance(value, str))


def _return_before(bundles: Sequence[Bundle], last: int) -> int:
    """The bundle of the return whose last delay slot is given."""
    return next(n for n in range(last, -1, -1) if bundles[n].transfers_control)


def _unbalanced(program: Program, number: int, left: int, step: int | None) -> Diagnostic:
    message = (
        f"`{_POINTER}` is again at a return what it was at the start of the function, "
        f"found {left:+,} bytes"
    )
    bundle = program.bundles[number]
    span = program.span(number, bundle.span(_return_place(bundle)))
    related: tuple[RelatedInformation, ...] = ()
    if step is not None:
        place = program.span(step, _step_span(program, step))
        related = (RelatedInformation(place, f"the last step of `{_POINTER}` on the way"),)
    return Diagnostic(RULE_ID, message, span, related)


def _return_place(bundle: Bundle) -> int:
    places = range(len(bundle.instructions))
    return next(n for n in places if (s := bundle.instructions[n].spec) and s.delay_slots)


def _step_span(program: Program, number: int) -> Span:
    bundle = program.bundles[number]
    accesses = accesses_of(program.isa, bundle)
    places = [a.instruction for a in accesses if a.register == _POINTER and a.writes]
    return bundle.span(places[0])


def _too_deep(program: Program, stacks: Mapping[int, _Stack]) -> Iterator[Diagnostic]:
    budgets = [each[STACK] for each in program.configurations if STACK in each]
    budget = min(budgets, default=_MAX_BYTES)
    starts = {program.addresses[first]: first for first in stacks}
    totals: dict[int, int] = {}

    def total(first: int, above: frozenset[int]) -> int:
        if first not in totals and first not in above:
            stack, most = stacks[first], 0
            for _, depth, label in stack.calls:
                callee = starts.get(program.label_addresses.get(label, -1))
                if callee is not None:
                    most = max(most, depth + total(callee, above | {first}))
            totals[first] = max(most, stack.deepest[0] if stack.deepest else 0)
        return totals.get(first, 0)

    for first, stack in stacks.items():
        found = total(first, frozenset())
        if found > budget and stack.deepest is not None:
            number = first + stack.deepest[1]
            own = stack.deepest[0]
            among = "" if own == found else f", {own:,} of its own"
            message = f"the stack has {budget:,} bytes, found {found:,} in this function{among}"
            yield Diagnostic(RULE_ID, message, program.span(number, _step_span(program, number)))


_NOP = "    nop\n"
_RETURN = "    ret lr\n" + _NOP * 4 + "    paddb [sp], #{}\n"
_BRANCH = "    paddb [sp], #64\n    jz r0, #out\n" + _NOP * 5

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "    paddb [sp], #64\n" + _NOP + _RETURN.format(-64),
        "    paddb [sp], #1024\n" + _NOP + _RETURN.format(-1024),
        _BRANCH + "    jl #other\n" + _NOP * 5 + "out:\n" + _RETURN.format(-64),
        # What a register adds is not known.
        "    mov sp, p0\n    paddb [sp], #64\n    ret lr\n" + _NOP * 5,
    ),
    invalid=(
        "    paddb [sp], #64\n" + _NOP + "    ⟦ret⟧ lr\n" + _NOP * 5,
        _BRANCH + _RETURN.format(-64) + "out:\n" + _RETURN.format(-32).replace("ret", "⟦ret⟧"),
        "    ⟦paddb⟧ [sp], #2048\n" + _NOP + _RETURN.format(-2048),
        "f:\n    ⟦paddb⟧ [sp], #640\n    jl #g\n"
        + _NOP * 5
        + _RETURN.format(-640)
        + "g:\n    paddb [sp], #512\n"
        + _NOP
        + _RETURN.format(-512),
    ),
    check_program=check,
    isa="xdna1",
)
