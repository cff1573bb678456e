"""What authors call their registers, where editors show it."""

from __future__ import annotations

from ipu_asm.ide.completion.completion import completions
from ipu_asm.ide.hover import hover
from tests.ide.cursor import fixture

HEAD = "# lr5 = row\nset lr5 0;;\n"
LATER = f"{HEAD}# lr5 = column\nset lr4 0;;\n"


def check_role(text_with_cursor: str, role: str | None) -> None:
    """The register `lr5` has this role at the cursor, in hover or in completion's detail."""
    analysis, offset = fixture(text_with_cursor)
    found = hover(analysis, offset)
    if found is not None and found.markdown.startswith("**`lr5`**"):
        title = found.markdown.partition("\n")[0]
        assert title == (f"**`lr5`** · {role}" if role else "**`lr5`**")
    else:
        (item,) = (item for item in completions(analysis, offset) if item.label == "lr5")
        assert (item.detail == role) == (role is not None)


def test_hover_shows_the_note_nearest_above() -> None:
    check_role(f"{LATER}incr l$0r5 1;;", "column")
    check_role(LATER.replace("set lr5", "set l$0r5"), "row")
    check_role("incr l$0r5 1;;\n# lr5 = row\nacc;;", None)


def test_completion_shows_the_note_nearest_above() -> None:
    check_role(f"{LATER}incr $0", "column")
    check_role(LATER.replace("set lr5 0", "incr $0"), "row")
    check_role(f"{LATER}acc; incr $0;; bkpt;;", "column")


def test_a_commented_out_instruction_gives_no_role() -> None:
    check_role(f"{HEAD}# lr5 = lr4 + 1\n# set lr5 3\nincr l$0r5 1;;", "row")
