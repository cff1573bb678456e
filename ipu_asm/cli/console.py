"""What commands say: on which stream, in which encoding, with colours or without."""

from __future__ import annotations

import os
import sys
from enum import IntEnum
from typing import Callable, TextIO

from ipu_asm.config.files import FileError, file_error
from ipu_asm.emulator.interrupts import Interrupts

COLOR_CHOICES = ("auto", "always", "never")


class Status(IntEnum):
    """What a command tells its caller when it ends."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    INTERNAL = 3
    INTERRUPTED = 130


def guarded(program: str, command: Callable[[], int]) -> int:
    """The exit status of a command, whatever happens in it: never a traceback.

    `IPU_TRACEBACK=1` in the environment shows where an error of our own came from.
    """
    try:
        with Interrupts():
            return command()
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    except FileError as error:
        complain(program, str(error))
        return Status.USAGE
    except Exception as error:
        if os.environ.get("IPU_TRACEBACK"):
            import traceback

            traceback.print_exc()
        else:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            complain(
                program,
                f"internal error: {what}; this is a mistake in {program}, not in the program it "
                "read: please report it with what IPU_TRACEBACK=1 shows",
            )
        return Status.INTERNAL


def complain(program: str, message: str, kind: str = "error") -> None:
    """One line on standard error."""
    from ipu_asm.diagnostics.rendering import printable  # most runs have nothing to complain about

    write(f"{program}: {kind}: {printable(message)}\n", sys.stderr)


def write(text: str, stream: TextIO | None) -> None:
    """Text for people: what their terminal cannot show becomes question marks.

    A reader who has gone away is no error. Raises `FileError` for a full disk and the like.
    """
    if stream is None:  # whoever started us has closed it
        return
    try:
        try:
            stream.write(text)
        except UnicodeEncodeError:
            encoding = stream.encoding
            stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()
    except OSError as error:
        _gone(error, stream)


def write_bytes(data: bytes) -> None:
    """Data for programs, to standard output byte by byte. Raises `FileError`."""
    if not hasattr(sys.stdout, "buffer"):
        write(data.decode("utf-8", "surrogateescape"), sys.stdout)
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        _gone(error, sys.stdout)


def wants_color(choice: str, stream: TextIO | None) -> bool:
    """Whether to write colours: as asked, else as the environment and the stream tell."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") != "0":
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at what is written there."""
    return stream is not None and stream.isatty()


def _gone(error: OSError, stream: TextIO) -> None:
    """Send all that follows nowhere, so that Python says nothing of it at exit either."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    if not isinstance(error, BrokenPipeError):
        name = "standard output" if stream is sys.stdout else "standard error"
        raise file_error(name, error)
