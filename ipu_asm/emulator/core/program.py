"""Programs for a core: which bundles it executes, and which it hands back to the numpy machine."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any, Final, Sequence

from ipu_asm.emulator.binding import write_conflicts
from ipu_asm.emulator.core.rows import CoreDescription, encode_bundle
from ipu_asm.emulator.decode import branch_target, decode_in_order
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple

_MAY_BE_REPLACED: Final = frozenset({"run", "execute_vliw_cycle", "stops_at"})
_ABSENT: Final = cached_property(lambda machine: None)


class EncodedBundle(NamedTuple):
    """A bundle for the core, and the methods that it stands for; no content if it has none.

    `target` is the address of its branch, if it has one.
    """

    content: bytes | None
    methods: frozenset[str] = frozenset()
    target: int | None = None
    is_indirect: bool = False


class CoreProgram(NamedTuple):
    """A program for the core; the bundles `handed_back` are those of the numpy machine.

    `targets` are the addresses of branches, by bundle; `indirect` bundles branch to a register.
    """

    content: bytes = b""
    handed_back: frozenset[int] = frozenset()
    targets: tuple[int | None, ...] = ()
    indirect: frozenset[int] = frozenset()


def encode_program(core: CoreDescription, machine: Any, words: Sequence[int | None]) -> CoreProgram:
    """Encode the program of a machine."""
    isa, order = load_isa(machine.state.isa_name), machine.execution_order
    changed = overridden_methods(core, machine)
    length = max((pc + 1 for pc, word in enumerate(words) if word is not None), default=0)
    bundles = [encode_word(core, isa, order, word) for word in words[:length]]
    left = frozenset(
        pc for pc, each in enumerate(bundles) if each.content is None or each.methods & changed
    )
    nothing = bytes(core.bundle_size)
    content = b"".join(
        nothing if pc in left or each.content is None else each.content
        for pc, each in enumerate(bundles)
    )
    return CoreProgram(
        content,
        left,
        tuple(each.target for each in bundles),
        frozenset(pc for pc, each in enumerate(bundles) if each.is_indirect),
    )


@lru_cache(maxsize=4096)
def encode_word(
    core: CoreDescription, isa: Isa, order: tuple[str, ...], word: int | None
) -> EncodedBundle:
    """Encode a word of program memory. The content is None if the core cannot execute it."""
    if word is None:
        return EncodedBundle(bytes(core.bundle_size))
    if not 0 <= word < 1 << isa.word_bits:
        return EncodedBundle(None)
    instructions = decode_in_order(isa, order, word)
    running = [each for each in instructions if not each.is_idle]
    has_conflict = any(True for _ in write_conflicts(isa, running))
    methods = frozenset(each.spec.execute_fn for each in running if each.spec is not None)
    content = None if has_conflict else encode_bundle(core, instructions)
    targets = [target for each in running if (target := branch_target(each)) is not None]
    is_indirect = any(each.spec is not None and each.spec.flow == "indirect" for each in running)
    return EncodedBundle(content, methods, targets[0] if targets else None, is_indirect)


def overridden_methods(core: CoreDescription, machine: Any) -> frozenset[str]:
    """Return the methods of a machine that are not those that the rows of its core stand for."""
    return frozenset(
        name
        for name, method in core.methods.items()
        if getattr(type(machine), name) is not method or name in vars(machine)
    )


def replaced_members(core: CoreDescription, machine: Any) -> set[str]:
    """Return what else of its class a machine replaces, of what the core might stand for."""
    names = set(vars(machine))
    for each in type(machine).__mro__:
        if each is core.machine:
            break
        names |= vars(each).keys()
    names -= core.methods.keys() | _MAY_BE_REPLACED
    return {name for name in names if not name.startswith("__") and _is_member(core, name)}


def _is_member(core: CoreDescription, name: str) -> bool:
    """Whether the core's machine has a member of that name which its instances do not keep."""
    return not isinstance(getattr(core.machine, name, _ABSENT), cached_property)
