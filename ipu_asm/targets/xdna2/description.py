"""Description of XDNA2: its registers besides the shared ones, and its operand classes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ipu_asm.isa.model import Isa
from ipu_asm.targets.aie.description import Engine, isa_of
from ipu_asm.targets.aie.registers import family, numbered, shared_families, vector_families
from ipu_asm.targets.xdna2.instruction_spec import FORMS
from ipu_asm.targets.xdna2.manifest import MANIFEST

_ACCUMULATORS, _VECTORS, _MASKS = 5, 12, 4
_QUARTERS = [(f"bm{h}l{n}", f"bm{h}h{n}") for n in range(_ACCUMULATORS) for h in "lh"]
_HALVES = [(f"cml{n}", f"cmh{n}") for n in range(_ACCUMULATORS)]
_EXPONENT_HALVES = [(f"el{n}", f"eh{n}") for n in range(_VECTORS)]
_MASK_HALVES = [(f"ql{n}", f"qh{n}") for n in range(_MASKS)]
_QUEUE_HALVES = [("lfl0", "lfh0"), ("lfl1", "lfh1"), ("sfl", "sfh")]

CONTROL = (
    "crsat", "crrnd", "crfpmask", "crf2imask", "crf2fmask", "crf2bmask", "crsrsmode", "crupsmode",
    "crunpacksize", "crpacksize", "srssign0", "srssign1", "upssign0", "upssign1", "packsign0",
    "packsign1", "unpacksign0", "unpacksign1", "vaddsign0", "vaddsign1", "crscden", "crmcden",
)  # fmt: skip

STATUS = (
    "srcarry", "srss0", "srms0", "srsrs_of", "srups_of", "srfifo_of", "srfifo_uf", "srsparse_of",
    "srfpflags", "srf2iflags", "srf2fflags", "srf2bflags", "srfpnlf", "srfpcnvfx2fl",
    "srfpcnvfl2fx", "crfpnlfmask", "crfpcnvfx2flmask", "crfpcnvfl2fxmask", "core_id",
)  # fmt: skip

# A pair is written with its upper half first.
PAIRS = tuple(f"r{n + 1}:r{n}" for n in range(0, 32, 2))
PAIR_NAMES = {f"l{n}": pair for n, pair in enumerate(PAIRS)}

FAMILIES = (
    *shared_families(),
    family(
        "pair",
        "pair of scalar registers",
        PAIRS,
        "64 bits; `l0` to `l15` are other names",
        [tuple(pair.split(":")) for pair in PAIRS],
    ),
    family("control", "control register", CONTROL, "how results are rounded, saturated, extended"),
    family("status", "status register", STATUS, "what operations leave behind besides results"),
    *vector_families(0),
    family("el", "lower exponent register", numbered("el", _VECTORS), "four exponents, 32 bits"),
    family("eh", "upper exponent register", numbered("eh", _VECTORS), "four exponents, 32 bits"),
    family(
        "e",
        "exponent register",
        numbered("e", _VECTORS),
        "64 bits: `eh` and `el`",
        _EXPONENT_HALVES,
    ),
    family(
        "ex",
        "vector register with exponents",
        numbered("ex", _VECTORS),
        "576 bits: an `x` and an `e` register, each exponent before its eight mantissas",
        [(f"x{n}", f"e{n}") for n in range(_VECTORS)],
    ),
    family(
        "ey",
        "pair of vector registers with exponents",
        numbered("ey", _VECTORS // 2),
        "1152 bits: two `ex` registers that follow each other",
        [(f"ex{2 * n}", f"ex{2 * n + 1}") for n in range(_VECTORS // 2)],
    ),
    family(
        "ew",
        "half of a vector register with exponents",
        (*numbered("ewl", _VECTORS), *numbered("ewh", _VECTORS)),
        "288 bits: a `wl` or `wh` register with its exponents",
        [(f"w{h}{n}", f"e{h}{n}") for h in "lh" for n in range(_VECTORS)],
    ),
    family(
        "qh",
        "mask register of 64 bits",
        [name for pair in _MASK_HALVES for name in pair],
        "a half of a `q` register",
    ),
    family("q", "mask register", numbered("q", _MASKS), "128 bits: `qh` and `ql`", _MASK_HALVES),
    family(
        "qx",
        "sparse register",
        numbered("qx", _MASKS),
        "640 bits: an `x` register with the mask that spreads it",
        [(f"x{n}", f"q{n}") for n in range(_MASKS)],
    ),
    family(
        "qy",
        "pair of sparse registers",
        numbered("qy", _MASKS // 2),
        "1280 bits: two `qx` registers that follow each other",
        [(f"qx{2 * n}", f"qx{2 * n + 1}") for n in range(_MASKS // 2)],
    ),
    family(
        "qex",
        "sparse register with exponents",
        numbered("qex", _MASKS),
        "704 bits: an `ex` register with its mask",
        [(f"ex{n}", f"q{n}") for n in range(_MASKS)],
    ),
    family(
        "qey",
        "pair of sparse registers with exponents",
        numbered("qey", _MASKS // 2),
        "1408 bits: two `qex` registers that follow each other",
        [(f"qex{2 * n}", f"qex{2 * n + 1}") for n in range(_MASKS // 2)],
    ),
    family(
        "bm",
        "accumulator of 512 bits",
        [name for pair in _QUARTERS for name in pair],
        "a quarter of a `dm` register",
    ),
    family(
        "cm",
        "accumulator of 1024 bits",
        [name for pair in _HALVES for name in pair],
        "`cml` is `bmlh` and `bmll`, `cmh` is `bmhh` and `bmhl`",
        _QUARTERS,
    ),
    family(
        "dm", "accumulator of 2048 bits", numbered("dm", _ACCUMULATORS), "`cmh` and `cml`", _HALVES
    ),
    family(
        "half",
        "half of a queue",
        [*(name for pair in _QUEUE_HALVES for name in pair), "lfe"],
        "512 bits of what a load or store queue holds",
    ),
    family(
        "lf",
        "load queue",
        numbered("lf", 2),
        "1024 bits between memory and operands of odd sizes: `lf0` goes with `p0` and `r24`, `lf1` "
        "with `p1` and `r25`",
        _QUEUE_HALVES[:2],
    ),
    family(
        "sf",
        "store queue",
        ("sf",),
        "the same on the way to memory, with `p2` and `r26`",
        _QUEUE_HALVES[2:],
    ),
)

_SCALARS = "r p m dn dj dc"
_ALL_SCALARS = f"{_SCALARS} s lr loop sp"

CLASSES = {
    "R": ("", "r"),
    "P": ("", "p"),
    "PS": ("", "p0-1"),
    "M": ("", "m"),
    "DJ": ("", "dj"),
    "D": ("", "d"),
    "DS": ("", "d0-3"),
    "S": ("", "s"),
    "Q": ("", "q"),
    "W": ("", "w"),
    "X": ("", "x"),
    "Y": ("", "y"),
    "EX": ("", "ex"),
    "EY": ("", "ey"),
    "QX": ("", "qx"),
    "QY": ("", "qy"),
    "QEX": ("", "qex"),
    "QEY": ("", "qey"),
    "BM": ("", "bm"),
    "CM": ("", "cm"),
    "DM": ("", "dm"),
    "FIFO": ("", "half"),
    "ShflBM": ("", "bm0-3"),
    "ShflX": ("", "x"),
    "BMX": ("", "bm x half"),
    "LF": ("", "lf"),
    "RF2": ("", "r24-25"),
    "RS16": ("", "r16-31"),
    "L": ("", "pair"),
    "EH": ("", "eh"),
    "EL": ("", "el"),
    "CR": ("", "control"),
    "AluCg": ("", "r lc"),
    "LdaCg": ("scalar pointer address", f"{_SCALARS} lc"),
    "LdaScl": ("scalar pointer address exponent", f"{_SCALARS} lr el eh"),
    "SclSt": ("scalar pointer address exponent", f"{_SCALARS} lr el eh"),
    "SclMS": ("scalar pointer address", _SCALARS),
    "AguDst": ("pointer address", "p m dn dj dc"),
    "AguSrc": ("scalar pointer address", _SCALARS),
    "MvSclDst": (
        "scalar pointer address control status",
        f"{_ALL_SCALARS} control status -core_id",
    ),
    "MvSclSrc": ("scalar pointer address control status", f"{_ALL_SCALARS} control status"),
}

# Multiplications of an operation: rows x depth x columns, or one a lane; -16: a lane for each
# element of the first source, of which a half of a vector register has 16.
PRODUCTS = {
    "0,1,1": 64, "0,1,0": 8 * 8 * 8, "0,2,0": 8 * 4 * 8, "0,3,0": 8 * 2 * 8, "1,0,0": 4 * 2 * 8,
    "1,2,0": 4 * 8 * 8, "1,3,0": 4 * 4 * 8, "2,3,1": -16, "2,1,0": 8 * 8 * 8,
}  # fmt: skip

EXAMPLES = {
    "vmac.f": "vmac.f dm0, dm0, ex0, ex2, r0",
    "vmov": "vmov x1, x0",
    "vlda.conv.fp32.bf16": "vlda.conv.fp32.bf16 cml0, [p0], #64",
    "vst.conv.bf16.fp32": "vst.conv.bf16.fp32 cml0, [p2], #64",
}


@lru_cache(maxsize=1)
def load() -> Isa:
    """Return the instruction set, built from the forms of its tables."""
    return isa_of(
        Engine(
            "xdna2",
            MANIFEST.title,
            FAMILIES,
            CLASSES,
            PAIR_NAMES,
            FORMS,
            link_cycle=None,
            callee_saved=range(8, 16),
            scratch=range(28, 30),
            examples=EXAMPLES,
            products=PRODUCTS,
            wide_files=("w", "bm"),
            encodings=Path(__file__).with_name("encodings.txt"),
        )
    )
