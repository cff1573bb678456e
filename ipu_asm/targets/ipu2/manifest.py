"""The manifest of IPU 2."""

from __future__ import annotations

from ipu_asm.isa import HostOption, Manifest
from ipu_asm.targets.ipu_family import LANGUAGE_ID, LANGUAGE_NAME

MANIFEST = Manifest(
    title="IPU 2",
    language_id=LANGUAGE_ID,
    language_name=LANGUAGE_NAME,
    extensions=(),
    is_encodable=True,
    modifiers=(
        "cond",
        "lr",
        "load",
        "mult",
        "acc",
        "aaq",
        "store",
        "acc_store",
        "break",
        "cr",
        "lrd",
        "mult_stage",
    ),
    telltales=frozenset(
        (
            "incr_mod_pow2",
            "addb",
            "addbi",
            "mult.rc.vv",
            "mult.rc.ve",
            "mult.rc.vs",
            "acc.add",
            "acc.add.first",
            "acc.sub",
            "acc.sub.first",
            "acc.reshape",
            "agg.sum",
            "agg.sum.first",
            "agg.max",
            "agg.max.first",
            "activate.quantize",
            "str_post_aaq_reg",
        )
    ),
    has_machine=True,
    memory_size=1 << 23,
    host_options=(
        HostOption(
            "dtype",
            "choice",
            "the type of narrow elements: int8, or a float with 1 to 7 exponent bits",
            choices=("INT8", "E1", "E2", "E3", "E4", "E5", "E6", "E7"),
            default="INT8",
        ),
        HostOption(
            "wide",
            "choice",
            "the type of elements of 32 bits, which then take the place of the narrow ones",
            choices=("off", "fp32", "int32"),
            default="off",
        ),
        HostOption(
            "quantize", "flag", "quantize the results of wide activations to bytes", default=False
        ),
        HostOption("elu_alpha", "number", "the factor of the activation `elu`", default=1.0),
    ),
)
