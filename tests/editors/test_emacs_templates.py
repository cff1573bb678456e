"""A real Emacs, configured as `docs/editors/emacs.md` says, with a kernel template."""

from __future__ import annotations

from typing import Callable, Iterator

import pytest

from tests.editors.emacs import Emacs
from tests.editors.kernels import TEMPLATE, place
from tests.editors.patience import soon
from tests.editors.user import User

TEXT = "(buffer-substring-no-properties (point-min) (point-max))"
FINDINGS = """
(mapcar (lambda (finding)
          (save-excursion
            (goto-char (flymake-diagnostic-beg finding))
            (vector (1- (line-number-at-pos))
                    (- (point) (pos-bol))
                    (buffer-substring-no-properties (point) (flymake-diagnostic-end finding)))))
        (flymake-diagnostics))
"""
USE = place(TEMPLATE, "    set {{ total }}", "total")

Open = Callable[[str], Emacs]


@pytest.fixture
def opened(emacs: Emacs, emacs_user: User) -> Iterator[Open]:
    """Opens a text as a new file."""

    def open_text(text: str) -> Emacs:
        emacs.open(emacs_user.kernel(text))
        return emacs

    yield open_text
    emacs.type("C-x 1")


def test_a_mistake_in_a_loop_is_marked_once_where_it_is_written(opened: Open) -> None:
    emacs = opened(TEMPLATE.replace("    add ", "    addd "))
    wanted = [[*place(TEMPLATE, "    add ", "add"), "addd"]]
    assert soon(lambda: emacs.lisp(FINDINGS) or [], wanted) == wanted


def test_hover_on_a_name_shows_its_register_and_its_remark(opened: Open) -> None:
    emacs = opened(TEMPLATE)
    emacs.put_cursor(*USE)
    shown = emacs.documentation(("lr1", "sum of the numbers"))
    assert "sum of the numbers" in shown
    assert "lr1" in shown


def test_a_name_is_renamed_with_all_its_uses(opened: Open) -> None:
    emacs = opened(TEMPLATE)
    emacs.put_cursor(*USE)
    emacs.lisp('(eglot-rename "sum_register")')
    wanted = TEMPLATE.replace("total", "sum_register")
    assert soon(lambda: emacs.lisp(TEXT), wanted) == wanted
