"""Debugging in Emacs with dape, as `docs/editors/emacs.md` sets it up, driven by its keys."""

from __future__ import annotations

from typing import Iterator

import pytest

from tests.editors.conftest import need
from tests.editors.emacs import Emacs, spelt
from tests.editors.install import command
from tests.editors.kernels import DOCUMENTED, LOOP
from tests.editors.patience import soon
from tests.editors.user import User, phrases_of

LOADING = "ldr_mult_reg r0 lr0 cr1;;\nbkpt;;\n"

# Where the arrow beside the text is: at the line that is executed next.
ARROW = """
(let ((at dape--overlay-arrow-position))
  (and (dape--live-connection 'stopped t)
       (marker-buffer at)
       (with-current-buffer (marker-buffer at) (line-number-at-pos at))))
"""
REPL = '(with-current-buffer "*dape-repl*" (string-trim-right (buffer-string) "> "))'
SESSIONS = "(length (dape--live-connections))"
# The question comes when the adapter has answered, when no more keys are typed.
CHOOSE_WRITE = '(progn (setq completing-read-function (lambda (&rest _) "write")) t)'
FORGET = """
(progn (dape-breakpoint-remove-all)
       (setq dape--watched nil
             dape--data-breakpoints nil
             completing-read-function #'completing-read-default)
       t)
"""
DOCUMENTATION = "(ignore-errors (with-current-buffer (eldoc-doc-buffer) (buffer-string)))"
BUFFERS = '(mapcar #\'buffer-name (match-buffers "\\\\*dape-"))'


@pytest.fixture(scope="module")
def dape_user(tmp_path_factory: pytest.TempPathFactory) -> User:
    """Somebody who followed the document, and installed the package that it names."""
    need("emacs")
    need("dape")
    user = User(tmp_path_factory.mktemp("dape"), "emacs.md")
    folder = command("dape").resolve()
    packages = user.home / ".emacs.d" / "elpa"
    packages.mkdir()
    (packages / folder.name).symlink_to(folder)
    return user


@pytest.fixture(scope="module")
def dape(dape_user: User) -> Iterator[Emacs]:
    """Their Emacs."""
    with Emacs(dape_user) as emacs:
        # As patient as these tests are, on a machine that does other things as well.
        emacs.lisp("(setq dape-request-timeout 30)")
        yield emacs
    assert dape_user.complaints() == ""


@pytest.fixture
def opened(dape: Emacs, dape_user: User) -> Iterator[Emacs]:
    """Emacs with a new kernel that loops; when the test is over, nothing is debugged any more."""
    visit(dape, dape_user, LOOP)
    yield dape
    dape.lisp(FORGET)
    dape.type("C-x C-a q")
    assert soon(lambda: dape.lisp(SESSIONS), 0) == 0
    assert soon(lambda: dape.lisp(BUFFERS), None) is None
    dape.type("C-x 1")


def visit(emacs: Emacs, user: User, text: str) -> None:
    emacs.visit(user.kernel(text))


def go_to(emacs: Emacs, line: int) -> None:
    emacs.type(f"M-g g {' '.join(str(line))} RET")


def set_breakpoint(emacs: Emacs, line: int, keys: str = "b", words: str = "") -> None:
    """Sets a breakpoint by its key, with what is typed then."""
    go_to(emacs, line)
    emacs.type(f"C-x C-a {keys} {spelt(words)} {'RET' if words else ''}")


def check_arrow(emacs: Emacs, line: int) -> None:
    """Asserts that the program comes to stop on that line."""
    assert soon(lambda: emacs.lisp(ARROW), line) == line, emacs.lisp(REPL)


def check_moved(emacs: Emacs, keys: str, line: int) -> None:
    """Asserts where the program stops after a command."""
    emacs.lisp("(progn (set-marker dape--overlay-arrow-position nil) t)")
    emacs.type(f"C-x C-a {keys}")
    check_arrow(emacs, line)


def check_shown(emacs: Emacs, buffer: str, *expected: str) -> None:
    """Asserts that a window of the debugger comes to show these texts."""
    form = (
        f"(mapconcat (lambda (buffer) (with-current-buffer buffer (buffer-string)))"
        f' (match-buffers "\\\\*dape-{buffer}.*\\\\*") "\\n")'
    )

    def are_there(shown: str) -> bool:
        return all(text in shown for text in expected)

    shown = soon(lambda: emacs.lisp(form), are_there)
    assert [text for text in expected if text not in shown] == [], shown


def check_value(emacs: Emacs, expression: str, value: str) -> None:
    """Asserts what an expression is, as `C-x C-a x` says it."""
    before = emacs.lisp(REPL)
    emacs.type(f"C-x C-a x {spelt(expression)} RET")
    said = soon(lambda: emacs.lisp(REPL), lambda text: text != before).removeprefix(before)
    assert said.split(" ")[0].strip() == value, said


def put_cursor_on_register(emacs: Emacs, name: str) -> None:
    check_shown(emacs, "info Scope", name)
    emacs.lisp('(progn (select-window (get-buffer-window "*dape-info Scope*")) t)')
    emacs.type(f"M-< C-s {spelt(name)} RET")


def check_shown_by_eldoc(emacs: Emacs, words: str) -> None:
    """Asserts that the documentation of what is at point comes to say something."""
    shown = soon(lambda: str(emacs.lisp(DOCUMENTATION)), lambda text: words in text)
    assert words in shown


def start(emacs: Emacs) -> None:
    emacs.type("M-x d a p e RET RET")


def test_it_stops_at_a_breakpoint_and_steps_both_ways(opened: Emacs) -> None:
    set_breakpoint(opened, 6)
    start(opened)
    check_arrow(opened, 6)
    check_value(opened, "lr1", "0")
    check_moved(opened, "n", 7)
    check_value(opened, "lr1", "1")
    check_moved(opened, "N", 6)
    check_value(opened, "lr1", "0")
    check_moved(opened, "c", 6)
    check_moved(opened, "c", 6)
    check_value(opened, "lr1 + 0x10", "18")
    check_moved(opened, "C", 6)
    check_value(opened, "lr1", "1")
    set_breakpoint(opened, 6)
    check_moved(opened, "o", 8)


def test_it_runs_to_the_end_and_tells_the_exit_code(opened: Emacs, dape_user: User) -> None:
    start(opened)
    check_arrow(opened, 8)
    opened.type("C-x C-a c")
    assert soon(lambda: opened.lisp(SESSIONS), 0) == 0
    check_shown(opened, "repl", "19 cycles", "Exit code 0")
    assert len(soon(dape_user.running_servers, lambda servers: len(servers) < 2)) < 2


def test_its_windows_show_stack_scopes_and_watches(opened: Emacs) -> None:
    set_breakpoint(opened, 6, "e", "lr1 == 5")
    start(opened)
    check_arrow(opened, 6)
    opened.type("C-x C-a w l r 1 * 2 RET")
    check_shown(opened, "info", "lr1*2", "10", "lr2", "8")
    check_shown(opened, "info Stack", "loop")
    check_shown(opened, "info Breakpoints", "Cond", "kernel")


def test_a_breakpoint_counts_its_hits(opened: Emacs) -> None:
    set_breakpoint(opened, 6, "h =", "3")
    start(opened)
    check_arrow(opened, 6)
    check_value(opened, "lr1", "2")


def test_a_log_point_prints_without_stopping(opened: Emacs) -> None:
    set_breakpoint(opened, 6, "l", "before {lr1}")
    start(opened)
    check_arrow(opened, 8)
    check_shown(opened, "repl", *(f"before {count}\n" for count in range(8)))


def test_a_register_is_changed_in_its_window(opened: Emacs) -> None:
    set_breakpoint(opened, 6)
    start(opened)
    check_arrow(opened, 6)
    put_cursor_on_register(opened, "lr1")
    opened.type("= 7 RET")
    check_shown(opened, "info Scope", "7")
    check_value(opened, "lr1", "7")


def test_a_data_breakpoint_is_set_in_the_window_of_its_register(opened: Emacs) -> None:
    set_breakpoint(opened, 4)
    start(opened)
    check_arrow(opened, 4)
    put_cursor_on_register(opened, "lr1")
    opened.lisp(CHOOSE_WRITE)
    opened.type("b")
    check_shown(opened, "info Breakpoints", "Data", "lr1")
    check_moved(opened, "c", 7)


def test_the_bundles_are_listed_with_the_arrow_at_the_next(opened: Emacs) -> None:
    set_breakpoint(opened, 7)
    start(opened)
    check_arrow(opened, 7)
    opened.type("C-x C-a M 0 x 3 RET")
    check_shown(opened, "disassemble", "0x2:\tincr lr1 1", "0x3:\tblt lr1 lr2")
    line = "(buffer-substring-no-properties (pos-bol) (pos-eol))"
    assert soon(lambda: opened.lisp(line), lambda text: "0x3" in text).startswith("0x3:\tblt")


def test_eldoc_shows_the_value_of_the_register_at_point(opened: Emacs) -> None:
    set_breakpoint(opened, 7, "e", "lr1 == 6")
    start(opened)
    check_arrow(opened, 7)
    go_to(opened, 6)
    opened.type("C-u 5 C-f")
    opened.command("eldoc")
    check_shown_by_eldoc(opened, "lr1 6")


def test_a_restart_begins_again(opened: Emacs) -> None:
    set_breakpoint(opened, 7)
    start(opened)
    check_arrow(opened, 7)
    check_moved(opened, "c", 7)
    check_value(opened, "lr1", "2")
    check_moved(opened, "r", 7)
    check_value(opened, "lr1", "1")


def test_a_breakpoint_on_a_comment_moves_to_the_next_bundle(opened: Emacs) -> None:
    set_breakpoint(opened, 1)
    start(opened)
    check_arrow(opened, 3)
    assert soon(lambda: "moved from line 1 to 3" in opened.lisp(REPL), True)


def test_a_program_with_mistakes_is_refused_in_words(opened: Emacs, dape_user: User) -> None:
    visit(opened, dape_user, "reset_ac;;\n")
    start(opened)
    check_shown(opened, "repl", "unknown mnemonic reset_ac; did you mean reset_acc?")


def test_a_kernel_starts_with_the_inputs_that_its_head_comment_names(
    opened: Emacs, dape_user: User
) -> None:
    visit(opened, dape_user, DOCUMENTED)
    start(opened)
    check_arrow(opened, 5)
    check_value(opened, "cr1", "0x20000")
    check_value(opened, "any(u8(r0) != 0)", "true")
    check_shown(opened, "repl", "Made up: weights (random numbers, 128 bytes at 0x20000).")


def test_the_options_of_the_document_load_a_file(opened: Emacs, dape_user: User) -> None:
    (dape_user.work / "weights.bin").write_bytes(bytes(range(128)))
    visit(opened, dape_user, LOADING)
    [options] = phrases_of("emacs.md", ":dtype")
    opened.type(f"M-x d a p e RET SPC {spelt(options)} RET")
    check_arrow(opened, 2)
    check_value(opened, "cr1", "0x20000")
    check_value(opened, "dtype", "1")
    opened.type(f"C-x C-a x {spelt('r0[9..11],u8')} RET")
    check_shown(opened, "repl", "[9, 10, 11]")
    opened.type("C-x C-a m 0 x 2 0 0 0 0 RET")
    check_shown(opened, "memory", "00020000: 0001 0203 0405")
