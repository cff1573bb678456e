"""The rest of what eglot can do with our server, as `docs/editors/emacs.md` sets it up."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterator

import pytest

from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC
from tests.editors.emacs import Emacs, spelt
from tests.editors.kernels import EXAMPLE, place
from tests.editors.patience import soon
from tests.editors.user import User, phrases_of

PAGE = INSTRUCTION_SPEC["mult"]["mult.ve"]["doc"]
MESSY = "  set lr0 0;  set lr1 0x10 ;; # zero\nagain:\nincr lr0 1;   acc ;;\n  b again ;;\n"
TIDY = "  set lr0 0;  set lr1 0x10 ;; # zero\nagain:\n  incr lr0 1; acc ;;\n  b again ;;\n"
ONE_A_LINE = "  set lr0 0;  set lr1 0x10 ;; # zero\nagain: incr lr0 1;  acc ;;\n  b again ;;\n"
FIVE = "set                   lr0 5"
NAMED = """\
# lr5 = row offset
    set lr5 0;;
# lr5 = column offset
    set lr5 1;;
    bkpt;;
"""
HINTED = """\
again:
    incr lr0 0x10; ldr_mult_reg r0 lr0 cr0;;
    b again;;
"""

TEXT = "(buffer-substring-no-properties (point-min) (point-max))"
CURSOR = "(list (1- (line-number-at-pos)) (- (point) (pos-bol)))"
FOUND = '(with-current-buffer "*xref*" (buffer-substring-no-properties (point-min) (point-max)))'
LIT = """
(mapcar (lambda (overlay)
          (save-excursion
            (goto-char (overlay-start overlay))
            (vector (1- (line-number-at-pos))
                    (- (point) (pos-bol))
                    (buffer-substring-no-properties (point) (overlay-end overlay)))))
        (seq-filter (lambda (overlay) (eq (overlay-buffer overlay) (current-buffer)))
                    eglot--highlights))
"""
ACTIVE_OPERAND = """
(with-current-buffer (eldoc-doc-buffer)
  (save-excursion
    (goto-char (point-min))
    (when-let ((match (text-property-search-forward 'face 'eldoc-highlight-function-argument t)))
      (buffer-substring-no-properties (prop-match-beginning match) (prop-match-end match)))))
"""
# A line with its remarks in angle brackets. There is no screen, whose redisplay would ask for them.
HINTS = """
(progn
  (jit-lock-fontify-now)
  (setq jit-lock-context-unfontify-pos (point-max))
  (jit-lock-refontify)
  (jit-lock-fontify-now)
  (mapconcat
    (lambda (at)
      (concat (mapconcat (lambda (overlay) (format "<%s>" (overlay-get overlay 'after-string)))
                         (seq-filter (lambda (overlay)
                                       (and (overlay-get overlay 'eglot--inlay-hint)
                                            (= (overlay-end overlay) at)))
                                     (overlays-in (1- at) at)))
              (and (< at (point-max)) (string (char-after at)))))
    (number-sequence (point-min) (point-max))))
"""
KEEP_LINES = """
(progn (setq-default eglot-workspace-configuration '(:ipu (:format (:style "keep")))) t)
"""
ACTIONS = """
(mapcar (lambda (action) (plist-get action :title))
        (eglot-code-actions (point) (point) "refactor"))
"""

Open = Callable[..., Emacs]


@pytest.fixture
def opened(emacs: Emacs, emacs_user: User) -> Iterator[Open]:
    """Opens a text as a new file, whose beginning the cursor is on."""

    def open_text(text: str, name: str = "") -> Emacs:
        emacs.open(emacs_user.kernel(text, name))
        return emacs

    yield open_text
    emacs.type("C-x 1")


@pytest.fixture
def configured(tmp_path: Path) -> Iterator[Callable[[str, str], Emacs]]:
    """Opens a text in an Emacs whose user has a setting of the document."""
    users: list[Emacs] = []

    def open_text(setting: str, text: str) -> Emacs:
        user = User(tmp_path, "emacs.md")
        [phrase] = phrases_of("emacs.md", setting)
        line = f"(setq-default eglot-workspace-configuration '(:ipu ({phrase})))"
        with (user.home / ".emacs.d" / "init.el").open("a", encoding="utf-8") as file:
            file.write(line)
        emacs = Emacs(user)
        users.append(emacs)
        emacs.open(user.kernel(text))
        return emacs

    yield open_text
    for emacs in users:
        emacs.__exit__()


def go_to(emacs: Emacs, text: str, words: str, inside: str = "") -> None:
    emacs.put_cursor(*place(text, words, inside))


def by_name(command: str, answer: str = "") -> str:
    """The keys that run a command and answer its question."""
    # A blank alone would complete the answer.
    answered = spelt(answer).replace("SPC", "C-q SPC")
    return f"M-x {spelt(command)} RET {answered} {'RET' if answer else ''}"


def check_text(emacs: Emacs, expected: str) -> None:
    """Asserts what is in the window in the end."""
    assert soon(lambda: emacs.lisp(TEXT), expected) == expected


def check_lit(emacs: Emacs, *expected: tuple[int, int, str]) -> None:
    """Asserts which words light up with the one at point."""
    emacs.command("eldoc")
    wanted = [list(lit) for lit in sorted(expected)]
    assert soon(lambda: sorted(emacs.lisp(LIT) or []), wanted) == wanted


def check_found(emacs: Emacs, keys: str, *lines: str) -> None:
    """Asserts which lines, below the name of their one file, are found by keys that search."""
    emacs.type(keys)
    shown = emacs.lisp(FOUND)
    assert shown.splitlines()[1:] == list(lines), shown


def test_references_of_a_label_are_listed_with_its_definition(opened: Open) -> None:
    emacs = opened(EXAMPLE)
    go_to(emacs, EXAMPLE, "lr2 lr3 element", "element")
    lines = EXAMPLE.splitlines()
    check_found(emacs, "M-?", f"47:{lines[46]}", f"53:{lines[52]}")


def test_a_register_lights_up_wherever_it_is_named(opened: Open) -> None:
    emacs = opened(MESSY)
    go_to(emacs, MESSY, "incr lr0", "lr0")
    check_lit(emacs, (0, 6, "lr0"), (2, 5, "lr0"))


def test_a_label_is_renamed_with_its_branches(opened: Open) -> None:
    emacs = opened(MESSY)
    go_to(emacs, MESSY, "b again", "again")
    emacs.type(by_name("eglot-rename", "turn"))
    check_text(emacs, MESSY.replace("again", "turn"))


def test_a_name_that_is_taken_is_refused_in_words(opened: Open) -> None:
    emacs = opened(EXAMPLE)
    go_to(emacs, EXAMPLE, "\nelement:", "element")
    said = emacs.refusal(by_name("eglot-rename", "sample"))
    line = place(EXAMPLE, "sample:")[0] + 1
    assert f"a label sample is already defined on line {line}" in said
    assert emacs.lisp(TEXT) == EXAMPLE


def test_a_register_is_not_renamed_to_what_is_none(opened: Open) -> None:
    emacs = opened(MESSY)
    go_to(emacs, MESSY, "incr lr0", "lr0")
    said = emacs.refusal(by_name("eglot-rename", "row"))
    assert "a register is one of lr0 to lr15, found row" in said
    assert emacs.lisp(TEXT) == MESSY


def test_eldoc_shows_the_operands_with_the_next_one_lit(opened: Open) -> None:
    emacs = opened(EXAMPLE)
    emacs.type("M->")
    emacs.write("mult.ve r0 lr0 ")
    told = (PAGE.syntax, "Mask number")
    shown = emacs.documentation(told)
    assert [text for text in told if text not in shown] == [], shown
    assert emacs.lisp(ACTIVE_OPERAND) == "mask_offset"


def test_a_file_is_formatted(opened: Open) -> None:
    emacs = opened(MESSY)
    emacs.command("eglot-format-buffer")
    check_text(emacs, TIDY)


def test_a_region_is_formatted_and_nothing_else(opened: Open) -> None:
    emacs = opened(MESSY)
    emacs.put_cursor(1, 0)
    emacs.type("C-SPC C-n C-e")
    emacs.type(by_name("eglot-format"))
    messy, tidy = MESSY.splitlines(keepends=True), TIDY.splitlines(keepends=True)
    check_text(emacs, "".join((messy[0], *tidy[1:3], messy[3])))


def test_what_is_typed_is_tidied_behind_its_end_mark(opened: Open) -> None:
    emacs = opened("start:\n")
    emacs.type("M->")
    emacs.write("set  lr0   5 ;;")
    check_text(emacs, f"start:\n    {FIVE};;")


def test_a_new_line_begins_in_the_column_of_instructions(opened: Open) -> None:
    emacs = opened("start:\n")
    emacs.type("M->")
    emacs.write("set lr0 5;;")
    emacs.type("RET")
    emacs.write("bkpt;;")
    check_text(emacs, f"start:\n    {FIVE};;\n    bkpt;;")


def test_hints_are_those_about_loops_unless_others_are_switched_on(opened: Open) -> None:
    emacs = opened(HINTED)
    assert emacs.lisp("(and eglot-inlay-hints-mode t)")
    marked = HINTED.replace("b again;;", "b again;;< 131,064 trips>")
    assert soon(lambda: emacs.lisp(HINTS), marked) == marked


def test_hints_show_addresses_numbers_and_time(configured: Callable[[str, str], Emacs]) -> None:
    emacs = configured(":inlayHints ", HINTED)
    marked = HINTED.replace("again:", "again< 0>:").replace("0x10", "0x10< = 16>")
    marked = marked.replace("r0 lr0 cr0", "r0 lr0<: new> cr0").replace(
        "b again;;", "b again< → 0>;;< 131,064 trips>"
    )
    assert soon(lambda: emacs.lisp(HINTS), marked) == marked


def test_a_setting_lays_bundles_out_one_a_line(configured: Callable[[str, str], Emacs]) -> None:
    emacs = configured(":format ", MESSY)
    emacs.command("eglot-format-buffer")
    check_text(emacs, ONE_A_LINE)


def test_a_setting_that_changes_is_heard_without_a_restart(
    configured: Callable[[str, str], Emacs],
) -> None:
    emacs = configured(":format ", MESSY)
    assert emacs.lisp(KEEP_LINES)
    emacs.command("eglot-signal-didChangeConfiguration")
    emacs.command("eglot-format-buffer")
    check_text(emacs, TIDY)


def test_a_bundle_is_split_by_the_menu_of_actions(opened: Open) -> None:
    emacs = opened(MESSY)
    go_to(emacs, MESSY, "set lr1")
    emacs.type(by_name("eglot-code-actions", "Split the bundle before set"))
    check_text(emacs, MESSY.replace("0;  set lr1", "0;;\n  set lr1"))


def test_what_would_change_the_result_is_not_in_the_menu(opened: Open) -> None:
    text = "set lr0 1; add lr1 lr0 lr0;;\nend:\nbkpt;;\n"
    emacs = opened(text)
    go_to(emacs, text, "add lr1")
    titles = emacs.lisp(ACTIONS) or []
    assert titles == ["Spell out the no-ops"]


def test_the_index_goes_to_a_loop_in_a_loop(opened: Open) -> None:
    emacs = opened(EXAMPLE)
    emacs.type("M-g i s a m p l e RET e l e m e n t RET")
    assert emacs.lisp(CURSOR) == list(place(EXAMPLE, "\nelement:", "element"))


def test_labels_of_files_that_are_not_open_are_found(opened: Open, emacs_user: User) -> None:
    emacs = opened(MESSY)
    emacs_user.kernel("set lr0 1;;\nfar_away_label:\n    bkpt;;\n", "closed.ipu")
    check_found(emacs, "C-M-. f a r _ a w RET", "2:far_away_label:")
    emacs.type("n RET")
    assert emacs.lisp("(file-name-nondirectory buffer-file-name)") == "closed.ipu"
    assert emacs.lisp(CURSOR) == [1, 0]


def test_hover_on_a_register_tells_the_nearest_note_above(opened: Open) -> None:
    emacs = opened(NAMED)
    go_to(emacs, NAMED, "lr5 0")
    assert "row offset" in emacs.documentation(("row offset",))
    go_to(emacs, NAMED, "lr5 1")
    shown = emacs.documentation(("column offset",))
    assert "column offset" in shown
    assert "row offset" not in shown
