"""Description of XDNA1: its registers besides the shared ones, and its operand classes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ipu_asm.isa.model import Isa
from ipu_asm.targets.aie.description import Engine, isa_of
from ipu_asm.targets.aie.registers import family, numbered, shared_families, vector_families
from ipu_asm.targets.xdna1.instruction_spec import FORMS
from ipu_asm.targets.xdna1.manifest import MANIFEST

_ACCUMULATORS = 9
_QUARTERS = [(f"am{h}l{n}", f"am{h}h{n}") for n in range(_ACCUMULATORS) for h in "lh"]
_HALVES = [(f"bml{n}", f"bmh{n}") for n in range(_ACCUMULATORS)]
_MASK_HALVES = [(f"ql{n}", f"qh{n}") for n in range(4)]
_SPARSE_HALVES = [(f"wl{n}", f"ql{n}") for n in range(4)], [(f"wh{n}", f"qh{n}") for n in range(4)]

CONTROL = (
    "crSat", "crRnd", "crFPMask", "crUPSSign", "crSRSSign", "crPackSign", "crUnpackSign",
    "crVaddSign", "crF2FMask", "crF2IMask", "crMCDEn", "crSCDEn",
)  # fmt: skip

STATUS = (
    "srCarry", "srSS0", "srMS0", "srSRS_of", "srUPS_of", "srCompr_uf", "srSparse_of", "srFPFlags",
    "srF2IFlags", "srF2FFlags", "srFPNlf", "srFPCnvFx2Fl", "srFPCnvFl2Fx", "core_id",
)  # fmt: skip

# A pair is written with its upper half first.
PAIRS = tuple(f"r{n + 1}:r{n}" for n in range(16, 32, 2))
PAIR_NAMES = {f"l{n}": pair for n, pair in enumerate(PAIRS)}

FAMILIES = (
    *shared_families(),
    family(
        "pair",
        "pair of scalar registers",
        PAIRS,
        "64 bits; `l0` to `l7` are other names",
        [tuple(pair.split(":")) for pair in PAIRS],
    ),
    family("control", "control register", CONTROL, "how results are rounded, saturated, extended"),
    family(
        "dp", "dp register", ("dp",), "a number of its own in moves; no public text describes it"
    ),
    family("status", "status register", STATUS, "what operations leave behind besides results"),
    *vector_families(2),
    family(
        "am",
        "accumulator of 256 bits",
        [name for pair in _QUARTERS for name in pair],
        "a quarter of a `cm` register",
    ),
    family(
        "bm",
        "accumulator of 512 bits",
        [name for pair in _HALVES for name in pair],
        "`bml` is `amlh` and `amll`, `bmh` is `amhh` and `amhl`",
        _QUARTERS,
    ),
    family(
        "cm", "accumulator of 1024 bits", numbered("cm", _ACCUMULATORS), "`bmh` and `bml`", _HALVES
    ),
    family(
        "qh",
        "mask register of 64 bits",
        [name for pair in _MASK_HALVES for name in pair],
        "a half of a `q` register",
    ),
    family("q", "mask register", numbered("q", 4), "128 bits: `qh` and `ql`", _MASK_HALVES),
    family(
        "qx",
        "sparse register",
        numbered("qx", 4),
        "an `x` register with the mask that spreads it",
        [(f"x{n}", f"q{n}") for n in range(4)],
    ),
    family(
        "qw",
        "half of a sparse register",
        (*numbered("qwl", 4), *numbered("qwh", 4)),
        "a `wl` or `wh` register with its mask",
        [*_SPARSE_HALVES[0], *_SPARSE_HALVES[1]],
    ),
)

_SCALARS = "r p m dn dj dc"

CLASSES = {
    "R": ("", "r"),
    "P": ("", "p"),
    "M": ("", "m"),
    "DJ": ("", "dj"),
    "D": ("", "d"),
    "DS": ("", "d0-3"),
    "S": ("", "s"),
    "W": ("", "w"),
    "X": ("", "x"),
    "Y": ("", "y"),
    "AM": ("", "am"),
    "BM": ("", "bm"),
    "CM": ("", "cm"),
    "Q": ("", "q"),
    "QX": ("", "qx"),
    "QXHLb": ("", "qw"),
    "L": ("", "pair"),
    "RS4": ("", "r16-19"),
    "RS8": ("", "r16-23"),
    "CR": ("", "control"),
    "LdaScl": ("scalar pointer address", f"{_SCALARS} lr"),
    "LdaCg": ("scalar pointer address", f"{_SCALARS} lc"),
    "AluCg": ("", "r lc"),
    "MvSclSrc": ("scalar pointer address control status",
                 f"{_SCALARS} s lr loop sp dp control status -srFPNlf -srFPCnvFx2Fl -srFPCnvFl2Fx"),
    "MvBMXDst": ("", "bm x"),
    "MvBMXSrc": ("", "bm x"),
    "MvAMWQDst": ("accumulator vector mask", "am w q"),
    "MvAMWQSrc": ("accumulator vector mask", "am w q"),
    "ShflDst": ("", "x bm0-7"),
}  # fmt: skip

# Multiplications of an operation: rows x depth x columns, or lanes x products of a lane.
PRODUCTS = {
    "0,0,0": 4 * 16 * 8, "0,1,0": 4 * 8 * 8, "0,2,0": 4 * 4 * 8, "0,1,1": 32 * 2,
    "0,3,0": 4 * 2 * 8, "1,0,0": 4 * 2 * 4, "1,2,0": 2 * 8 * 8, "1,2,1": 4 * 8 * 4,
    "1,3,0": 2 * 4 * 8, "1,3,1": 4 * 4 * 4, "2,3,0": 4 * 8 * 4, "2,3,1": 16 * 2,
}  # fmt: skip

EXAMPLES = {"vmac.f": "vmac.f bmh0, bmh0, x0, x2, r0", "vmov": "vmov x0, x2"}


@lru_cache(maxsize=1)
def load() -> Isa:
    """Return the instruction set, built from the forms of its tables."""
    return isa_of(
        Engine(
            "xdna1",
            MANIFEST.title,
            FAMILIES,
            CLASSES,
            PAIR_NAMES,
            FORMS,
            link_cycle=4,
            callee_saved=range(16, 24),
            scratch=range(8, 16),
            examples=EXAMPLES,
            products=PRODUCTS,
            wide_files=("w", "am"),
            encodings=Path(__file__).with_name("encodings.txt"),
        )
    )
