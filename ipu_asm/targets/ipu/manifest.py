"""The manifest of the IPU."""

from __future__ import annotations

from ipu_asm.isa import HostOption, Manifest
from ipu_asm.targets.ipu_family import LANGUAGE_ID, LANGUAGE_NAME

MANIFEST = Manifest(
    title="IPU",
    language_id=LANGUAGE_ID,
    language_name=LANGUAGE_NAME,
    extensions=(".ipu",),
    shared_extensions=(".s", ".asm"),
    is_encodable=True,
    modifiers=("xmem", "lr", "mult", "acc", "aaq", "cond", "break", "cr", "mult_stage"),
    telltales=frozenset(
        (
            "incr",
            "acc",
            "acc.first",
            "reset_acc",
            "acc.add_aaq",
            "acc.add_aaq.first",
            "mult.ev",
            "mult.ve.cr",
            "mult.ve.aaq",
            "agg",
            "aaq",
            "xmem.store_aaq_result",
            "break_nop",
            "xmem_nop",
            "mult_nop",
            "acc_nop",
            "aaq_nop",
        )
    ),
    has_machine=True,
    memory_size=1 << 21,
    host_options=(
        HostOption(
            "dtype",
            "choice",
            "the element type, set in cr15",
            choices=("int8", "fp8_e4m3", "fp8_e5m2"),
            default="int8",
            register="cr15",
        ),
        HostOption(
            "aaq_shift",
            "integer",
            "bits by which `aaq` shifts each word right; 24 in first silicon",
            default=0,
            least=0,
            most=31,
        ),
    ),
)
