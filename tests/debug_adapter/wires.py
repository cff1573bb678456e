"""Ways to an adapter: a process over pipes or a socket, or a thread of this process."""

from __future__ import annotations

import abc
import contextlib
import os
import queue
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Callable

from ipu_lsp.transport import Channel, ClientDisconnectedError

ROOT = Path(__file__).parents[2]
ADAPTER = [sys.executable, "-m", "ipu_lsp.debug_adapter"]
PATIENCE_S = 60.0
_ADDRESS = re.compile(r"^listening on \S+:(\d+)\n", re.MULTILINE)
_CHUNK = 1 << 16


class Wire(abc.ABC):
    """A connection to an adapter of its own."""

    @abc.abstractmethod
    def read(self) -> bytes:
        """Waits for some bytes; none at the end."""

    @abc.abstractmethod
    def write(self, data: bytes) -> None:
        """Sends bytes; `OSError` if nobody is there to read them."""

    @abc.abstractmethod
    def hang_up(self) -> None:
        """Says nothing more, as a client that is gone."""

    @abc.abstractmethod
    def wait(self, seconds: float = PATIENCE_S) -> int:
        """The adapter's exit status, once it has ended; `TimeoutError` if it does not."""

    @abc.abstractmethod
    def complaints(self) -> str:
        """What it wrote to standard error."""


class StdioWire(Wire):
    """A process, over pipes. `folder` takes its log."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._log = folder / "adapter.log"
        pipe = subprocess.PIPE
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [*ADAPTER, *arguments],
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                cwd=folder,
                stdin=pipe,
                stdout=pipe,
                stderr=log,
            )
        assert self.process.stdin
        assert self.process.stdout
        self._input, self._output = self.process.stdin, self.process.stdout

    def read(self) -> bytes:
        return os.read(self._output.fileno(), _CHUNK)

    def write(self, data: bytes) -> None:
        self._input.write(data)
        self._input.flush()

    def hang_up(self) -> None:
        with contextlib.suppress(BrokenPipeError):  # it went first, with something unread
            self._input.close()

    def wait(self, seconds: float = PATIENCE_S) -> int:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise TimeoutError(f"the adapter did not end within {seconds} s") from None

    def complaints(self) -> str:
        return self._log.read_text(encoding="utf-8")


class TcpWire(StdioWire):
    """A process, over a socket of this machine."""

    def __init__(self, folder: Path, host: str = "127.0.0.1") -> None:
        super().__init__(folder, "--tcp", f"{host}:0")
        try:
            self._socket = socket.create_connection((host, self._port()), PATIENCE_S)
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise
        self._socket.settimeout(None)

    def read(self) -> bytes:
        try:
            return self._socket.recv(_CHUNK)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        self._socket.sendall(data)

    def hang_up(self) -> None:
        with contextlib.suppress(OSError):  # it went first
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        super().hang_up()

    def _port(self) -> int:
        deadline = time.monotonic() + PATIENCE_S
        while not (found := _ADDRESS.search(self.complaints())):
            assert self.process.poll() is None, f"the adapter ended: {self.complaints()}"
            assert time.monotonic() < deadline, f"no address was said: {self.complaints()}"
            time.sleep(0.005)
        return int(found.group(1))


class ThreadWire(Wire):
    """A thread that runs `serve`: quick to start, and its failures are seen here."""

    def __init__(self, serve: Callable[[Channel], int]) -> None:
        self._to_adapter: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._from_adapter: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._serve = serve
        self._ended: int | BaseException = TimeoutError("the adapter did not end in time")
        self._is_gone = False
        self._thread = threading.Thread(target=self._run, name="adapter", daemon=True)
        self._thread.start()

    def read(self) -> bytes:
        data = self._from_adapter.get()
        if not data:
            self._from_adapter.put(data)  # the end stays the end
        return data

    def write(self, data: bytes) -> None:
        if not self._thread.is_alive():
            raise BrokenPipeError("the adapter has ended")
        self._to_adapter.put(data)

    def hang_up(self) -> None:
        self._is_gone = True
        self._to_adapter.put(b"")

    def wait(self, seconds: float = PATIENCE_S) -> int:
        self._thread.join(seconds)
        if isinstance(self._ended, BaseException):
            raise self._ended
        return self._ended

    def complaints(self) -> str:
        return ""

    def _run(self) -> None:
        try:
            self._ended = self._serve(Channel(self._to_adapter.get, self._receive))
        except BaseException as error:
            self._ended = error
        finally:
            self._from_adapter.put(b"")

    def _receive(self, data: bytes) -> None:
        if self._is_gone:
            raise ClientDisconnectedError("the client hung up")
        if data:
            self._from_adapter.put(bytes(data))
