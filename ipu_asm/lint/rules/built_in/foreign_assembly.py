"""A file that is plainly written for another assembler.

## What it does
Reports, on its first line and instead of all errors in it, a file with directives, registers or
instructions of another processor, such as `.globl main` or `addi sp, sp, -16`. It does so only
where nothing says which instruction set the file is for: no comment, no configuration and no
extension that is ours alone. A file with `;;` or with a name that only our instruction sets have
is never called foreign.

## Why
The extensions `.s` and `.asm` belong to everybody. Start-up code for a host processor that lies
beside the kernels is no mistake, and an error for each of its lines would hide the real ones. To
have such a file read all the same, write `# isa: ipu` in its first ten lines, or set `isa` in
`ipu.toml`; to be rid of the hint, ignore it for those files with `per-file-ignores`.

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
        # A comment may say what it likes.
        "# .text of the kernel: addi sp, sp, -16\nacc",
        # Broken, but ours.
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
