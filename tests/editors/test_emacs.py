"""A real Emacs with the configuration of `docs/editors/emacs.md`, driven by its keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC
from tests.editors.emacs import Emacs
from tests.editors.kernels import COLUMN, EXAMPLE, MESSAGE, MISTAKEN, ROW, WRAPPED, place
from tests.editors.patience import soon
from tests.editors.user import User, phrases_of

PAGE = INSTRUCTION_SPEC["mult"]["mult.ve"]["doc"]
FINDING = [[ROW, COLUMN], [ROW, COLUMN + len("reset_ac")], "eglot-error", "E101", MESSAGE]

FINDINGS = """
(mapcar (lambda (finding)
          (let ((lsp (alist-get 'eglot-lsp-diag (flymake-diagnostic-data finding)))
                (spot (lambda (at) (save-excursion
                         (goto-char at)
                         (list (1- (line-number-at-pos)) (- (point) (pos-bol)))))))
            (list (funcall spot (flymake-diagnostic-beg finding))
                  (funcall spot (flymake-diagnostic-end finding))
                  (flymake-diagnostic-type finding)
                  (plist-get lsp :code)
                  (plist-get lsp :message))))
        (flymake-diagnostics))
"""
CURSOR = "(list (1- (line-number-at-pos)) (- (point) (pos-bol)))"
TEXT = "(buffer-substring-no-properties (point-min) (point-max))"
OTHER_WINDOW = "(with-current-buffer (window-buffer (next-window)) (buffer-string))"
OFFERED = """
(with-current-buffer "*Completions*"
  (let ((at (point-min)) names)
    (while (setq at (next-single-property-change at 'completion--string))
      (pcase (get-text-property at 'completion--string)
        ((or (and (pred stringp) name) `(,name . ,_)) (push name names))))
    names))
"""
NAMES = "(seq-filter #'stringp (flatten-tree (imenu--make-index-alist t)))"

Open = Callable[..., Emacs]


@pytest.fixture
def opened(emacs: Emacs, emacs_user: User) -> Iterator[Open]:
    """Opens a text as a new file, whose beginning the cursor is on."""

    def open_text(text: str, name: str = "") -> Emacs:
        emacs.open(emacs_user.kernel(text, name))
        return emacs

    yield open_text
    emacs.type("C-x 1")


def check_findings(emacs: Emacs, *expected: list[Any]) -> None:
    """Asserts that Emacs comes to show exactly these findings in the current file."""
    wanted = list(expected)
    assert soon(lambda: emacs.lisp(FINDINGS) or [], wanted) == wanted


def codes(emacs: Emacs) -> list[str]:
    return sorted(code for *_, code, _ in emacs.lisp(FINDINGS) or [])


def write_at_end(emacs: Emacs, line: str) -> None:
    emacs.type("M->")
    emacs.write(line)


def check_hover(emacs: Emacs, *expected: str) -> None:
    """Asserts that the documentation of what is at point, which `C-h .` shows, has these texts."""
    emacs.documentation(expected)
    emacs.type("C-h .")
    shown = emacs.lisp(OTHER_WINDOW)
    assert [text for text in expected if text not in shown] == [], shown
    emacs.type("C-x 1")


def check_offered(emacs: Emacs, offered: set[str], not_offered: set[str]) -> None:
    """Asserts what is in the list of completions that its key brings up, and what is not."""
    emacs.type("C-M-i")
    names = set(emacs.lisp(OFFERED) or [])
    assert offered <= names
    assert not names & not_offered


def test_a_misspelt_mnemonic_is_marked_from_its_first_to_its_last_letter(opened: Open) -> None:
    check_findings(opened(MISTAKEN), FINDING)


def test_eldoc_on_a_mnemonic_shows_the_page_of_the_instruction(opened: Open) -> None:
    emacs = opened(EXAMPLE)
    emacs.put_cursor(*place(EXAMPLE, "mult.ve "))
    told = [PAGE.title, PAGE.summary.partition(". ")[0], "Operation, encoding and more"]
    check_hover(emacs, *told, "slot mult", "cyclic_offset = lr")


def test_eldoc_on_a_loop_register_tells_what_the_kernel_says_of_it(opened: Open) -> None:
    emacs = opened(EXAMPLE)
    emacs.put_cursor(*place(EXAMPLE, "bne                   lr2", "lr2"))
    check_hover(emacs, "lr2", "i, the input that is multiplied", "32 bits")


def test_completion_offers_no_second_instruction_for_a_slot_that_is_taken(opened: Open) -> None:
    emacs = opened(EXAMPLE)
    write_at_end(emacs, "mult.ve r0 lr0 lr0 lr0 lr0; ")
    check_offered(emacs, {"acc", "set", "bne"}, {"mult.ve", "mult.ee"})


def test_completion_offers_every_slot_again_in_the_next_bundle(opened: Open) -> None:
    emacs = opened(EXAMPLE)
    write_at_end(emacs, "mult.ve r0 lr0 lr0 lr0 lr0;; ")
    check_offered(emacs, {"acc", "set", "bne", "mult.ve", "mult.ee"}, set())


def test_completion_by_its_key_ends_a_word_of_which_there_is_one(opened: Open) -> None:
    emacs = opened(EXAMPLE)
    write_at_end(emacs, "reset_")
    emacs.type("C-M-i")
    assert emacs.lisp(TEXT) == f"{EXAMPLE}reset_acc"


def test_a_jump_from_a_branch_puts_the_cursor_on_its_label(opened: Open) -> None:
    emacs = opened(EXAMPLE)
    emacs.put_cursor(*place(EXAMPLE, "lr2 lr3 element", "element"))
    emacs.type("M-.")
    assert emacs.lisp(CURSOR) == list(place(EXAMPLE, "\nelement:", "element"))


def test_the_fix_mends_the_text_and_the_finding_goes(opened: Open) -> None:
    emacs = opened(MISTAKEN)
    check_findings(emacs, FINDING)
    emacs.put_cursor(ROW, COLUMN)
    emacs.command("eglot-code-action-quickfix")
    assert emacs.lisp(TEXT) == EXAMPLE
    check_findings(emacs)


def test_the_index_lists_the_labels_without_bundles(opened: Open) -> None:
    names = list(dict.fromkeys(opened(EXAMPLE).lisp(NAMES)))
    assert [name for name in names if name in ("sample", "element")] == ["sample", "element"]
    assert not [name for name in names if "+" in name]


def test_findings_follow_every_letter_that_is_typed(opened: Open) -> None:
    emacs = opened(EXAMPLE)
    emacs.put_cursor(*place(EXAMPLE, "reset_acc;;", "c;;"))
    emacs.type("C-d")
    check_findings(emacs, FINDING)
    emacs.write("c")
    check_findings(emacs)


def test_the_server_sees_what_is_typed_between_wide_characters(opened: Open) -> None:
    emacs = opened(MISTAKEN)
    row, column = place(MISTAKEN, "# bundle's products.", "products")
    for at, keys, left in (
        (0, "乘 SPC 🙂 SPC é SPC", "乘 🙂 é products."),
        (2, "🙃 -", "乘 🙃-🙂 é products."),
        (4, "C-d C-d", "乘 🙃-é products."),
        (3, "DEL DEL DEL q", "q-é products."),
    ):
        emacs.put_cursor(row, column + at)
        emacs.type(keys)
        emacs.put_cursor(*place(EXAMPLE, "\nelement:", "element"))
        check_hover(emacs, f"bundle's {left}")
    check_findings(emacs, FINDING)


def test_an_edgenpu_file_is_checked_by_the_rules_of_edgenpu(opened: Open) -> None:
    emacs = opened("; nothing to do\nNOPE 100\n", "d.edgenpu")
    [[start, end, _, code, message]] = soon(lambda: emacs.lisp(FINDINGS) or [], bool)
    assert (start, end, code) == ([1, 0], [1, 4], "E101")
    assert "NOP" in message


def test_a_setting_of_the_document_leaves_a_rule_out(opened: Open, tmp_path: Path) -> None:
    emacs = opened(WRAPPED)
    assert soon(lambda: codes(emacs), ["E101", "W203"]) == ["E101", "W203"]
    user = User(tmp_path, "emacs.md")
    [setting] = phrases_of("emacs.md", "(setq-default ")
    with (user.home / ".emacs.d" / "init.el").open("a", encoding="utf-8") as file:
        file.write(setting)
    with Emacs(user) as restarted:
        restarted.visit(user.kernel(WRAPPED))
        restarted.type("C-a")
        assert soon(lambda: codes(restarted), ["E101"]) == ["E101"]


def test_leaving_emacs_ends_the_server(tmp_path: Path) -> None:
    user = User(tmp_path, "emacs.md")
    with Emacs(user) as emacs:
        emacs.visit(user.kernel(MISTAKEN))
        assert len(soon(user.running_servers, bool)) == 1
        emacs.quit()
        assert soon(user.running_servers, []) == []
