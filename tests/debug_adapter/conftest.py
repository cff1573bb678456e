"""Clients of adapters of their own, all of which have ended when a test has."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterator

import pytest

from tests.debug_adapter.client import DapClient
from tests.debug_adapter.wires import StdioWire, TcpWire, ThreadWire, Wire

WIRES: dict[str, Callable[[Path], Wire]] = {
    "thread": lambda _: _thread(),
    "stdio": StdioWire,
    "tcp": TcpWire,
}

Connect = Callable[..., DapClient]


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    """Makes clients: `connect()` talks to a thread, `connect("stdio")`, `connect("tcp")` to a
    process."""
    clients: list[DapClient] = []

    def connected(wire: str = "thread") -> DapClient:
        folder = tmp_path / f"client{len(clients)}"
        folder.mkdir()
        clients.append(DapClient(WIRES[wire](folder), folder))
        return clients[-1]

    yield connected
    failures = [error for client in clients if (error := _closed(client))]
    if failures:
        raise failures[0]


@pytest.fixture
def client(connect: Connect) -> DapClient:
    """A client of an adapter in a thread."""
    return connect()


@pytest.fixture(params=["stdio", "tcp"])
def remote_client(connect: Connect, request: pytest.FixtureRequest) -> DapClient:
    """A client of an adapter in a process, over each of its ways to talk."""
    return connect(request.param)


def _thread() -> Wire:
    from ipu_lsp.debug_adapter.server import serve

    return ThreadWire(serve)


def _closed(client: DapClient) -> Exception | None:
    try:
        client.close()
    except Exception as error:
        return error
    return None
