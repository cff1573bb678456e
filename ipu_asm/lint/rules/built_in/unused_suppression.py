"""A suppression comment that suppresses no finding.

## What it does
Reports a name or code in a suppression comment that suppresses no finding: the finding no longer
exists, is on another line, or the name is unknown. The fix removes a known name, and the whole
comment if no name remains; while the file has errors, which may hide the finding, the fix is
unsafe. An unknown name is not removed: the closest known name is suggested. A comment without a
list, an `ignore-file` that is not above the first bundle, and a comment that is nearly a
suppression (`# ipu: ignroe[E101]`, `# ipu ignore[E101]`) suppress nothing either and are reported.

## Why
A left-over suppression hides the next finding on its line before it is reviewed.

## Example
```
    set lr1 4000;;          # ipu: ignore[immediate-wraps] the mask of all bits
    bkpt;;
```

## Use instead
```
    set lr1 0xFFFF;;        # ipu: ignore[immediate-wraps] the mask of all bits
    bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics import Applicability, RuleId, Severity
from ipu_asm.lint.rule import Rule

RULE_ID = RuleId("W001", "unused-suppression", Severity.WARNING)

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "acc;; again: incr lr0 1;; # ipu: ignore[unused-label] for the debugger\nbkpt;;",
        "# ipu: ignore[H104, W203]\nacc;; again: set lr0 40000;; bkpt;;",
        "# ipu: ignore-file[runs-off-end]\nacc;;",
        "acc;; # ipu: ignore[unused-suppression, W103]",
        "acc; bkpt;; # ipu: ignored by the host, ipu: ignite [sic]",
    ),
    invalid=(
        "acc; bkpt;; # ipu: ignore[⟦unused-label⟧] nothing here",
        "acc;; again: set lr0 1;; bkpt;; # ipu: ignore[H104, ⟦W203⟧]",
        "# ipu: ignore-file[⟦runs-off-the-end⟧]\nbkpt;;",
        "# ipu: ignore[⟦E101⟧, ⟦explicit-brake⟧]\nbkpt;;",
        "break; bkpt;; # ipu: ignore[⟦explicit-brake⟧]",
        "acc; bkpt;; # ⟦ipu: ignore⟧ all of it",
        "acc; bkpt;; # ⟦ipu: ignroe⟧[H104] mistyped",
        "# ⟦ipu ignore-file⟧[H104] no colon\nacc; bkpt;;",
        "acc;;\n# ⟦ipu: ignore-file[H104]⟧\nbkpt;;",
    ),
    fixes=(Applicability.SAFE, Applicability.UNSAFE, Applicability.DISPLAY),
)
