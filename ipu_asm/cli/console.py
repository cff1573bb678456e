"""Output of commands: streams, encodings, colours and exit statuses."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from enum import IntEnum
from typing import Callable, TextIO

from ipu_asm.config.files import FileError, file_error
from ipu_asm.diagnostics.command_line import discard_output
from ipu_asm.emulator.interrupts import Interrupts

_FORCING = ("FORCE_COLOR", "CLICOLOR_FORCE")
_USUAL_COLUMNS = 80  # of a terminal that does not know its width
COLOR_CHOICES = ("auto", "always", "never")


class ExitStatus(IntEnum):
    """Exit status of a command."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    INTERNAL = 3
    UNKNOWN = 3
    """What was asked could not be found out."""
    INTERRUPTED = 130


def run_guarded(program: str, command: Callable[[], int]) -> int:
    """Run a command and return its exit status; errors are reported without a traceback.

    With `IPU_TRACEBACK=1` in the environment, an internal error shows its traceback.
    """
    try:
        with Interrupts():
            return command()
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except FileError as error:
        with suppress(FileError):  # of a standard error that is full, too
            print_message(program, str(error))
        return ExitStatus.USAGE
    except Exception as error:
        if isinstance(error, FileNotFoundError) and not _has_current_folder():
            print_message(program, "the current folder does not exist any more: change to another")
            return ExitStatus.USAGE
        if os.environ.get("IPU_TRACEBACK"):
            import traceback

            traceback.print_exc()
        else:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            print_message(
                program,
                f"internal error: {what}; this is a bug in {program}, not in the program it "
                "read: please report it with what IPU_TRACEBACK=1 shows",
            )
        return ExitStatus.INTERNAL


def _has_current_folder() -> bool:
    try:
        return bool(os.getcwd())
    except OSError:
        return False


def print_message(program: str, message: str, kind: str = "error") -> None:
    """Write a one-line message to standard error."""
    from ipu_asm.diagnostics.rendering import printable  # imported on use: most runs report nothing

    write(f"{program}: {kind}: {printable(message)}\n", sys.stderr)


def write(text: str, stream: TextIO | None) -> None:
    """Write text for people; characters that the stream cannot encode become question marks.

    A closed pipe is ignored. Raises `FileError` for other errors, such as a full disk.
    """
    if stream is None:  # the parent process has closed it
        return
    try:
        try:
            stream.write(text)
        except UnicodeEncodeError:
            encoding = stream.encoding
            stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()
    except OSError as error:
        _handle_broken_stream(error, stream)


def write_bytes(data: bytes) -> None:
    """Write data for programs to standard output unchanged.

    A closed pipe is ignored. Raises `FileError` for other errors.
    """
    if not hasattr(sys.stdout, "buffer"):
        write(data.decode("utf-8", "surrogateescape"), sys.stdout)
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        _handle_broken_stream(error, sys.stdout)


def wants_color(choice: str, stream: TextIO | None) -> bool:
    """Check whether to write colours: as chosen, else by environment variables and the stream."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if any(os.environ.get(name, "") not in ("", "0") for name in _FORCING):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def columns_of(stream: TextIO | None) -> int | None:
    """Return the width of a terminal in columns, 80 where it reports none; None in a pipe."""
    if stream is None or not is_terminal(stream):
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_COLUMNS
    except (OSError, ValueError):
        return _USUAL_COLUMNS


def _handle_broken_stream(error: OSError, stream: TextIO) -> None:
    """Discard what else is written to a stream. Raises `FileError` unless a pipe was closed."""
    discard_output(stream)
    if not isinstance(error, BrokenPipeError):
        name = "standard output" if stream is sys.stdout else "standard error"
        raise file_error(name, error)


SECONDS_UNTIL_SHOWN = 1.0
"""Seconds that a run may take before the bar appears."""
_INTERVAL = 0.2
_WIDTH = 20
_CLEAR = "\r\x1b[K"


def shown_rate(rate: float) -> str:
    """Return a rate with three significant digits."""
    return f"{float(f'{rate:.3g}'):,.0f}"


class ProgressBar:
    """A bar for a run of at most `limit` units; not shown unless `stream` is a terminal.

    The unit is a cycle, if no other is given. It shows the number of them relative to the `length`
    of the run if that is known, else to the limit.
    `length` is called once, when the bar appears.
    """

    def __init__(
        self,
        limit: int,
        stream: TextIO | None,
        clock: Callable[[], float] = time.perf_counter,
        *,
        length: Callable[[], int | None] = lambda: None,
        unit: str = "cycles",
    ) -> None:
        self._unit = unit
        self._limit = limit
        self._length = length
        self._total: int | None = None
        self._stream = stream if is_terminal(stream) else None
        self._clock = clock
        self._start = clock()
        self._due = self._start + SECONDS_UNTIL_SHOWN
        self._is_shown = False

    def show(self, count: int) -> None:
        """Redraw the bar if the interval since the last time has passed."""
        now = self._clock()
        if self._stream is None or now < self._due:
            return
        self._due = now + _INTERVAL
        if not self._is_shown:
            self._total = self._length()
        self._is_shown = True
        is_exact = self._total is not None and count <= self._total <= self._limit
        end = self._total if self._total is not None and is_exact else self._limit
        share = min(1.0, count / max(1, end))
        full = round(share * _WIDTH)
        bar = "#" * full + "." * (_WIDTH - full)
        rate = shown_rate(count / (now - self._start))
        most = "" if is_exact else "at most "
        line = f"[{bar}] {count:,} of {most}{end:,} {self._unit}, {rate} a second"
        write(_CLEAR + line[: (columns_of(self._stream) or 0) - 1], self._stream)

    def clear(self) -> None:
        """Remove the bar."""
        if self._is_shown:
            write(_CLEAR, self._stream)
            self._is_shown = False
