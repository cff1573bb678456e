"""A program with something in all sorts of registers, stopped in its loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from ipu_lsp.transport import Json
from tests.debug_adapter.client import DapClient

KERNEL: Final = """\
# lr1 = row offset
# cr1 = results
# cr3 = where the masks are
set lr5 4; ldr_cyclic_mult_reg lr2 cr0 lr2;;
loop:
    incr lr0 1; ldr_mult_reg r0 lr1 cr0; mult.ee r0 lr2 lr2 lr2; acc;;
    incr lr1 16; str_acc_reg lr1 cr1; agg sum value cr0 aaq1;;
    ldr_mult_mask_reg lr2 cr3;
    blt lr0 lr5 loop;;
bkpt;;
"""
"""Bundle 0 is on line 4, 1 (`loop`) on 6, 2 on 7, 3 on 8 and 9, 4 on 10; it halts at cycle 17."""

LOOP_LINE: Final = 6
RESULTS, MASKS = 0x1000, 0x3000
ROW: Final = bytes(range(256))
MASK: Final = bytes(range(0x30, 0xB0))
SCOPES: Final = (
    "Loop registers", "Config registers", "AAQ", "Vectors", "Masks", "Memory map", "Machine",
)  # fmt: skip


def started(client: DapClient, folder: Path, *breakpoints: int | Json, **more: Any) -> DapClient:
    """A client whose `KERNEL` stands in its loop for the second time, at cycle 4.

    With breakpoints it has just been started, and stops there.
    """
    (folder / "row.bin").write_bytes(ROW)
    (folder / "masks.bin").write_bytes(MASK)
    load = [
        {"file": str(folder / "row.bin"), "address": 0},
        {"file": str(folder / "masks.bin"), "address": MASKS},
    ]
    cr = {"1": RESULTS, "3": MASKS}
    client.start(KERNEL, *(breakpoints or (LOOP_LINE,)), load=load, cr=cr, **more)
    if not breakpoints:
        client.stopped()
        client.step("continue")
    return client


def value_of(client: DapClient, scope: str, *names: str) -> str:
    """The value of a variable, reached by these names."""
    return str(found(client, scope, *names)[1]["value"])


def found(client: DapClient, scope: str, *names: str) -> tuple[int, Json]:
    """A variable and the reference of what it is in."""
    reference = client.scopes()[scope]["variablesReference"]
    for name in names:
        parent, variable = reference, client.variables(reference)[name]
        reference = variable["variablesReference"]
    return parent, variable
