"""Short texts with what the vendor's assembler says of them: ok, warning or error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator, NamedTuple

SHARED = Path(__file__).resolve().parents[4] / "shared" / "isa" / "facts"


class Case(NamedTuple):
    """A text, the verdict, and the execution mode in which it stands."""

    text: str
    verdict: str
    mode: str = "worker"

    @property
    def whole(self) -> str:
        """The text after the directive for its mode."""
        return f".{self.mode}\n{self.text}\n"


def cases() -> list[Case]:
    """All cases: those written here, and those of the shared folder where that is there."""
    found = [*WRITTEN, *_groups()]
    path = SHARED / "colossus_mc_expectations.json"
    for case in json.loads(path.read_text("utf-8"))["cases"] if path.is_file() else ():
        verdict = case["expect"].partition(":")[0]
        found.append(Case(case["source"].replace("<EOF>", ""), verdict, case["mode"]))
    return list(dict.fromkeys(found))


def _groups() -> Iterator[Case]:
    """Groups of registers that begin everywhere: right are those that begin at their width."""
    forms = (
        (2, "st64step $a{}:{}, $m0, $m1+=, $m2"),
        (4, "ld64a32 $a{}:{}, $m0++, $m1, $m2"),
        (2, "ldst64pace $a6:7, $a6:7, $m{}:{}+=, $m7, 0"),
    )
    for width, form in forms:
        for first in range(16):
            text = form.format(first, first + width - 1)
            yield Case(text, "error" if first % width else "ok")


WRITTEN = (
    Case("{ setzi $m0, 1 ; setzi $m1, 1 }", "error", "worker"),
    Case("{ f32fromi32 $a0, $a0 ; setzi $a1, 1 }", "error", "worker"),
    Case("{ f32fromi32 $a0, $a0 ; setzi $m1, 1 }", "error", "worker"),
    Case("{ ld32 $a0, $m0, $m0 ; setzi $a0, 10 }", "error", "worker"),
    Case("{ ld32 $a0, $m0, $m0 ; f16v2tof32 $a0:1, $a0 }", "error", "worker"),
    Case("{ ld2x64pace $a0:1, $a2:3, $m0:1+=, $m15, 0x00 ; setzi $a1, 10 }", "error", "worker"),
    Case("{ ld64a32 $a0:3, $m0++, $m0, $m1 ; setzi $a0, 10 }", "error", "worker"),
    Case("{ ld32 $a0, $m0, $m0 ; setzi $a1, 10 }", "ok", "worker"),
    Case("{ ld32 $a2, $m0, $m0 ; f16v2tof32 $a0:1, $a0 }", "ok", "worker"),
    Case(".warn_on_invalid_bundles\n{ f32fromi32 $a0, $a0 ; setzi $m1, 1 }", "warning", "worker"),
    Case("{ ld32 $a15, $m13, $m15, 0 ; setzi $a15, 4 }", "error", "worker"),
    Case("{ ld64 $a14:15, $m13, $m15, 0 ; setzi $a15, 4 }", "error", "worker"),
    # Other names, which the assembler takes as well.
    Case("get $a0, 1", "ok"),
    Case("{ nop ; get $a3, $FP_STS }", "ok"),
    Case("put 1, $a0", "ok"),
    Case("{ nop ; put $FP_CLR, $a0 }", "ok"),
    Case("put 1, $a0", "error", "supervisor"),
    Case("swap16 $m0, $m1", "ok"),
    Case("swap16 $m0, $m1", "ok", "supervisor"),
    Case("{ swap16 $m0, $m1 ; swap16 $a0, $a1 }", "ok"),
    Case("{ ld32 $a12, $m13, $m15, 0 ; setzi $a12, 4 }", "error", "worker"),
    Case("{ ld64 $a8:9, $m0, 1 ; or $a7, $a7, 575 << 20 }", "ok", "worker"),
    Case("{ sub $m0, $m1, $m2 ; fnop }", "ok", "worker"),
    Case("{ sub $m1, $m1, $m1 ; setzi $a2, 1; setzi $a3, 1 }", "error", "worker"),
    Case("{ add $m1, $m2, $m3 }", "error", "worker"),
    Case("add $m3, $m3, $m3 }", "error", "worker"),
    Case("{ }", "error", "worker"),
    Case(
        "{ add $m1, $m2, $m3; add $m4, $m5, $m6\n{ add $m9, $m9, $m9; setzi $a0, 1 }",
        "error",
        "worker",
    ),
    Case("{ sub $m3, $m3, $m3; add $m4, $m5, $m6\n", "error", "worker"),
    Case("foo", "error", "worker"),
    Case("add $m16, $m1, $m2", "error", "worker"),
    Case("add $m1, $m2", "error", "worker"),
    Case("add $m1, $m2, $m3, $m4", "error", "worker"),
    Case("add 1, 2, 3", "error", "worker"),
    Case("add r1, r2, r3", "error", "worker"),
    Case("add $m1, $m2, 4294967296", "error", "worker"),
    Case("add $m1, $m2, -4294967296", "error", "worker"),
    Case("add $m0, $m1, $m2", "ok", "worker"),
    Case("add $m1, $m2, 65535", "ok", "worker"),
    Case("add $m1, $m2, -128", "ok", "worker"),
    Case("setzi $m0, Misc + 1", "ok", "worker"),
    Case("ld64 $a0:x, $m0, 0", "error", "worker"),
    Case("ld64 $a0:5, $m0, 0", "error", "worker"),
    Case("ld2x64pace $a0:1, $m4:7, $m0:1+=, $m4, 0x10", "error", "worker"),
    Case("st64step $a0:1, $m0, $m1+=, $m2", "error", "supervisor"),
    Case("put $PC, $m0", "ok", "worker"),
    Case("get $m0, $CWEI_0_2", "error", "worker"),
    Case("get $m3, $SCOUNT_L", "ok", "supervisor"),
    Case("put $CR, $m3", "ok", "supervisor"),
    Case("put $CR, $m3", "error", "worker"),
    Case("put $CTXT_STS, $m0", "error", "worker"),
    Case("put $PRNG_0_0, $m0", "error", "supervisor"),
    Case("get $m0, $PRNG_SEED", "error", "supervisor"),
    Case("uput $PRNG_0_1, $a0", "ok", "worker"),
    Case(
        ".align 8\n{ rpt 10, ((2f - 1f) / 8) - 1 ; fnop }\n1:\n"
        "{ add $m1, $m0, 5 ; fnop }\nnop\nnop\n2:",
        "error",
        "worker",
    ),
    Case(
        ".align 8\nrpt 10, ((2f - 1f) / 8) - 1\n1:\n{ add $m1, $m0, 5 ; fnop }\n2:",
        "error",
        "worker",
    ),
    Case(
        ".align 8\nnop\n{ rpt 10, ((2f - 1f) / 8) - 1 ; fnop }\n1:\n{ add $m1, $m0, 5 ; fnop }\n2:",
        "error",
        "worker",
    ),
    Case(
        ".align 8\n{ rpt 10, ((2f - 1f) / 8) - 1 ; fnop }\n1:\n{ bri 0x40000 ; fnop }\n2:",
        "error",
        "worker",
    ),
    Case(
        ".align 8\n{ rpt 10, ((2f - 1f) / 8) - 1 ; fnop }\n1:\n{ get $m1, 0 ; fnop }\n2:",
        "error",
        "worker",
    ),
    Case(".align 8\n{ rpt 10, 1 ; fnop }\n{ add $m1, $m0, 5 ; fnop }\nnop\nnop", "error", "worker"),
    Case(
        "{ rpt 10, ((2f - 1f) / 8) - 1 ; fnop }\n1:\n.align 8\n{ add $m1, $m0, 5 ; fnop }\n2:",
        "ok",
        "worker",
    ),
    Case("fnop\nrpt 10, 0\n1:\n{ add $m1, $m0, 5 ; fnop }\n2:", "ok", "worker"),
    Case("{ rpt 10, 0 ; fnop }", "error", "supervisor"),
    Case("ld32 $m0, $m0, $m2+=, 1", "error", "worker"),
    Case("ld32 $m0, $m1, $m2, ABC", "error", "worker"),
    Case("ld32 $m0, $m1, $m2, (1 << 12)", "error", "worker"),
    Case("ld32 $m0, $m1, $m2, -1", "error", "worker"),
    Case("ld32 $m0, $m1, ABC", "error", "worker"),
    Case("ld32 $m0, $m1, (1 << 12)", "error", "worker"),
    Case("ld32 $m0, $m1, -1", "error", "worker"),
    Case("st32 $m0, $m0, $m2+=, 1", "error", "worker"),
    Case("st32 $m0, $m1, $m2, ABC", "error", "worker"),
    Case("st32 $m0, $m1, $m2, (1 << 12)", "error", "worker"),
    Case("st32 $m0, $m1, $m2, -1", "error", "worker"),
    Case("st32 $m0, $m1, ABC", "error", "worker"),
    Case("st32 $m0, $m1, (1 << 12)", "error", "worker"),
    Case("st32 $m0, $m1, -1", "error", "worker"),
    Case("sub $m0, $m0, 32768", "error", "worker"),
    Case("sub $m0, $m0, -32768", "error", "worker"),
    Case("cmpult $m0, $m0, -1", "error", "worker"),
    Case("cmpult $m0, $m0, 65535 + 1", "error", "worker"),
    Case("cmpult $m0, $m0, 65536", "error", "worker"),
    Case("ld32 $m0, $sp $mzero, 0", "error", "worker"),
    Case("stm32 $m0, $sp $m1", "error", "worker"),
    Case(".size myexcellentfunction .-myexcellentfunction", "error", "worker"),
    Case("{ ldconst $m0, 42 ; fnop }", "error", "worker"),
    Case("ldconst $m0, foo", "error", "worker"),
    Case("ldconst $m0, 0xfffffffff0", "error", "worker"),
    Case("bri $m0", "error", "worker"),
    Case("call $m0, $m0", "error", "worker"),
    Case("call $m0, (1 << 20)", "error", "worker"),
    Case("brz $m0, $m0", "error", "worker"),
    Case("bri -4", "error", "worker"),
    Case("brneg $m0, (1 << 19)", "error", "worker"),
    Case("brneg $a0, (1 << 18)", "error", "worker"),
    Case("brnz $m0, (1 << 19)", "error", "worker"),
    Case("call $m0, (1 << 19)", "ok", "worker"),
    Case("bri 0", "ok", "worker"),
    Case("brz $m0, label1 + label2 + label3", "ok", "worker"),
    Case("ld32step $a0, $mzero, $m0, 1", "error", "worker"),
    Case("ld2x64pace $a0:1, $a2:3, $m0:1, $m15, 0x00", "error", "worker"),
    Case("ldd16b16 $a0, $m0, $m0, $m0", "error", "worker"),
    Case("ldb16b16 $a0:1, $m0, $m0, $m0", "error", "worker"),
    Case("setzi $m0++, 1", "error", "worker"),
    Case("setzi $m0+=, 1", "error", "worker"),
    Case("ld32step $a0, $mzero, $m0++, 1", "error", "worker"),
    Case("ldd16b16 $a0, $m0+=, $m0, $m1@", "error", "worker"),
    Case("ldb16b16 $a0:1, $m0, $m0++, $m0+=", "error", "worker"),
    Case("ldd16v2a32 $a0, $m0++, $m0, $m0>>", "error", "worker"),
    Case("ld32step $a0, $mzero, $m0+=, 1", "ok", "worker"),
    Case("ldd16b16 $a0, $m0++, $m0, $m1@", "ok", "worker"),
    Case("ldb16b16 $a0:1, $m0, $m0++, $m0>>", "ok", "worker"),
    Case("ld2x64pace $a0:1, $a2:3, $m0:1+=, $m15, 0x00", "ok", "worker"),
    Case("ld32 $m1, $m2, $m3", "ok", "worker"),
    Case("ld32 $m1, $m2, 4095", "ok", "worker"),
    Case("st32 $a1, $m2, $m3, $m4", "error", "supervisor"),
    Case("ldconst $m1, 0x12345", "ok", "worker"),
    Case("ldconst $m3, 0x12345678", "ok", "worker"),
    Case("ldconst $m1, -2.0h", "ok", "worker"),
    Case("setzi $m14, 0", "ok", "worker"),
    Case("setzi $a13, 0", "ok", "worker"),
    Case("zero $a0:1", "ok", "worker"),
    Case(".allow_optimizations\n{ f32add $a1, $a1, $a2 ; brnzdec $m1, loop }", "ok", "worker"),
    Case("f32max $a0, $a0, $a0\n.align 16", "ok", "worker"),
    Case("f32v2add $a0:1, $azeros, $azeros", "ok", "worker"),
)
