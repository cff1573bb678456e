"""A process that takes and gives messages over its standard input and output, for measuring only.

Everything happens on the calling thread, so that a measured time contains no thread switch of
ours. One more thread only ends a process that does not answer in time.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

PATIENCE_S = 60.0
"""How many seconds a process may take for any answer, unless it is told otherwise."""


class ProcessGone(Exception):
    """The process ended, or was ended because it did not answer in time."""


@contextmanager
def started(command: Sequence[str], patience: float = PATIENCE_S) -> Iterator[Pipe]:
    """A process that is started here and ended with the context."""
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        pipe = Pipe(process, errors, patience)
        try:
            yield pipe
        finally:
            pipe.close()


class Pipe:
    """The way to a process whose standard error goes to the file `errors`."""

    def __init__(
        self, process: subprocess.Popen[bytes], errors: IO[bytes], patience: float
    ) -> None:
        self._process, self._errors, self._patience = process, errors, patience
        self._received = bytearray()
        self._deadline = float("inf")
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def close(self) -> None:
        """End the process without ado."""
        self._closed.set()
        self._process.kill()

    def send(self, body: bytes) -> None:
        """Send a message. Raises `ProcessGone`."""
        assert self._process.stdin is not None
        view = memoryview(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        try:
            while view:
                view = view[self._process.stdin.write(view) :]
        except OSError as error:
            raise self._gone() from error

    def receive(self) -> bytes:
        """The next message. Raises `ProcessGone`."""
        while (end := self._received.find(b"\r\n\r\n")) < 0:
            self._fill()
        size = _content_length(bytes(self._received[:end]))
        while len(self._received) < end + 4 + size:
            self._fill()
        body = bytes(self._received[end + 4 : end + 4 + size])
        del self._received[: end + 4 + size]
        return body

    @contextmanager
    def deadline_set(self) -> Iterator[None]:
        """End the process if this takes too long."""
        self._deadline = time.monotonic() + self._patience
        yield
        self._deadline = float("inf")

    def _fill(self) -> None:
        assert self._process.stdout is not None
        chunk = self._process.stdout.read(1 << 20)
        if not chunk:
            raise self._gone()
        self._received += chunk

    def _watch(self) -> None:
        while not self._closed.wait(0.5):
            if time.monotonic() > self._deadline:
                self._process.kill()
                return

    def _gone(self) -> ProcessGone:
        self._process.kill()
        status = self._process.wait()
        self._errors.seek(0)
        last = self._errors.read()[-2000:].decode(errors="replace")
        return ProcessGone(f"{self._process.args!r} ended with status {status}: {last}")


def _content_length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise ValueError(f"no Content-Length in {header!r}")
