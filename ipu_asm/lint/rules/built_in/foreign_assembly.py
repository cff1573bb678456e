"""A file that is written for another assembler.

## What it does
Reports a file with directives, registers or instructions of another processor, such as
`.globl main` or `addi sp, sp, -16`. The finding is on the first line and replaces all errors in the
file. A file is reported only if nothing selects its instruction set: no comment, no configuration
and no file extension of this toolchain. A file with `;;` or with a name that only the supported
instruction sets have is never reported.

## Why
Many assemblers use the extensions `.s` and `.asm`. Start-up code for a host processor in the same
folder as the kernels is not a mistake, and an error for each of its lines would hide the real ones.
To check such a file anyway, write `# isa: ipu` in its first ten lines, or set `isa` in `ipu.toml`;
to silence the hint, ignore it for those files with `per-file-ignores`.

## Example
```
    .text
    .globl main
main:
    push %rbp
    ret
```

## Use instead
```
# isa: ipu
again:
    incr lr0 1;
    b again;;
```
"""

from __future__ import annotations

from ipu_asm.config.foreign_assembly import FOREIGN_ASSEMBLY
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=FOREIGN_ASSEMBLY,
    documentation=__doc__ or "",
    valid=(
        "",
        # The text of a comment does not count.
        "# .text of the kernel: addi sp, sp, -16\nacc",
        # Files with errors, but in a supported set.
        ".again: acc; b again;;",
        ".text\nacc; bkpt;;",
        "mult.ee r0, lr0, lr1, lr2",
        "    .align 4\n    set lr0 5",
    ),
    invalid=(
        "⟦    .text⟧\n    .globl main\nmain:\n    ret\n",
        "⟦# x86⟧\nmain: movl $1, %eax\n    ret\n",
        "⟦global main⟧\nmain:\n    mov eax, 1\n    ret\n",
        "⟦stp x29, x30, [sp, #-16]!⟧\nret\n",
        "⟦main: push {r4, lr}⟧\n    bx lr\n",
        "⟦addi sp, sp, -16⟧\r\nsd ra, 8(sp)\r\n",
    ),
)
