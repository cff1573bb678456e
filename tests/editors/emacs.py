"""A running Emacs: keys go in as from a keyboard, Lisp tells what it shows."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Iterable

from tests.editors.install import command
from tests.editors.patience import soon
from tests.editors.user import User

_NO_COMPILATION = "(setq native-comp-jit-compilation nil)\n"
_MANAGED = "(list (buffer-file-name) (and (eglot-managed-p) t))"
_DOCUMENTATION = """
(condition-case nil
    (with-current-buffer (eldoc-doc-buffer) (buffer-string))
  (user-error ""))
"""


class Emacs:
    """Emacs with the configuration of a user, as a server without a screen."""

    def __init__(self, user: User) -> None:
        program = str(command("emacs"))
        self._client = str(command("emacsclient"))
        self._socket = str(user.home / "emacs.sock")
        self._environment = user.environment
        said_by = user.home / "editor.log"
        # In a home that is thrown away, compiling all of it anew only takes time from the tests.
        (user.home / ".emacs.d" / "early-init.el").write_text(_NO_COMPILATION, encoding="utf-8")
        with said_by.open("wb") as said:
            self._process = subprocess.Popen(
                [program, "--no-site-file", f"--fg-daemon={self._socket}"],
                env=user.environment,
                cwd=user.work,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        started = soon(lambda: self._evaluate("t").stdout, "t\n")
        if started != "t\n":
            self.__exit__()
            raise AssertionError(said_by.read_text("utf-8"))

    def __enter__(self) -> Emacs:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def lisp(self, form: str) -> Any:
        """The value of a form in the buffer that the user sees; lists come as lists."""
        seen = f"(with-current-buffer (window-buffer (selected-window)) {form})"
        done = self._evaluate(f"(progn (require 'json) (json-encode {seen}))")
        assert done.returncode == 0, f"{done.stdout}{done.stderr}\n{form}"
        return json.loads(json.loads(done.stdout))

    def type(self, keys: str) -> None:
        """Presses keys, in the notation of `kbd`, such as `C-x C-s`; returns when they are done."""
        self.lisp(f"(progn (execute-kbd-macro (kbd {quoted(keys)})) t)")

    def write(self, text: str) -> None:
        """Types a text of one line, letter by letter."""
        self.type(spelt(text))

    def command(self, name: str) -> None:
        """Runs a command by its name, as with `M-x`."""
        self.lisp(f"(progn (execute-extended-command nil {quoted(name)}) t)")

    def open(self, path: Path) -> None:
        """Opens a file, and waits until the language server minds it."""
        self.visit(path)
        wanted = [str(path), True]
        assert soon(lambda: self.lisp(_MANAGED), wanted) == wanted
        self.type("C-a")  # Flymake begins after the first command in a buffer

    def visit(self, path: Path) -> None:
        """Opens a file."""
        self.type(f"C-x C-f C-a C-k {spelt(str(path))} RET")

    def put_cursor(self, row: int, column: int) -> None:
        """Moves the cursor to a row and a column, both from 0."""
        self.type(f"M-g g {spelt(str(row + 1))} RET C-a C-u {spelt(str(column))} C-f")

    def documentation(self, expected: Iterable[str]) -> str:
        """All that eldoc knows about what is at point, once it has these texts."""
        self.command("eldoc")
        return soon(
            lambda: str(self.lisp(_DOCUMENTATION)),
            lambda shown: all(text in shown for text in expected),
        )

    def refusal(self, keys: str) -> str:
        """Presses keys of which the last ends in an error; returns its words, none if in none."""
        press = f'(progn (execute-kbd-macro (kbd {quoted(keys)})) "")'
        words = "(error (error-message-string error))"
        return str(self.lisp(f"(condition-case error {press} {words})"))

    def quit(self) -> None:
        """Leaves as a user leaves, and waits until the process has ended."""
        self._evaluate("(let ((kill-emacs-query-functions nil)) (kill-emacs))")
        self._process.wait(timeout=20)

    def _evaluate(self, form: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._client, "--socket-name", self._socket, "--eval", form],
            env=self._environment,
            capture_output=True,
            encoding="utf-8",
            timeout=20,
        )


def spelt(text: str) -> str:
    """The keys that type a text of one line."""
    return " ".join("SPC" if letter == " " else letter for letter in text)


def quoted(text: str) -> str:
    """A string as Lisp reads it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
