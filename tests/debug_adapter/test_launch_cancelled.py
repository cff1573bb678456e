"""A launch that takes long holds nobody up who wants to leave."""

from __future__ import annotations

import threading
from typing import Iterator

import pytest

from ipu_lsp.debug_adapter.configuration import LaunchConfiguration, LaunchError
from ipu_lsp.debug_adapter.requests import lifecycle
from ipu_lsp.transport import Json
from tests.debug_adapter.client import THREAD, DapClient, Rejected
from tests.debug_adapter.programs import LOOP
from tests.debug_adapter.wires import PATIENCE_S


class Endless:
    """A program that is read until the test lets go."""

    def __init__(self) -> None:
        self.is_begun = threading.Event()
        self.is_over = threading.Event()

    def read(self, _: Json) -> LaunchConfiguration:
        self.is_begun.set()
        assert self.is_over.wait(PATIENCE_S)
        raise LaunchError(["too late"])


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endless]:
    """Programs that are launched are read without an end."""
    program = Endless()
    with monkeypatch.context() as patch:
        patch.setattr(lifecycle, "read_configuration", program.read)
        yield program
    program.is_over.set()


@pytest.mark.parametrize("command", ["disconnect", "terminate", "cancel"])
def test_a_launch_gives_way_to_a_client_that_leaves(
    client: DapClient, endless: Endless, command: str
) -> None:
    client.initialize()
    launch = client.send("launch", {"program": "kernel.s"})
    assert endless.is_begun.wait(PATIENCE_S)
    waiting = client.send("continue", {"threadId": THREAD})
    urgent = client.send(command, {"requestId": launch} if command == "cancel" else {})
    with pytest.raises(Rejected, match=r"^cancelled$"):
        client.response(launch)
    if command == "disconnect":
        return
    assert client.response(urgent) == {}
    with pytest.raises(Rejected, match="no program is loaded"):
        client.response(waiting)
    if command == "terminate":
        assert client.expect_event("terminated") == {}


def test_a_launch_ends_with_the_client(client: DapClient, endless: Endless) -> None:
    client.initialize()
    client.send("launch", {"program": "kernel.s"})
    assert endless.is_begun.wait(PATIENCE_S)
    assert client.close() == 0


def test_other_requests_wait_for_a_launch(client: DapClient, endless: Endless) -> None:
    client.initialize()
    launch = client.send("launch", {"program": "kernel.s"})
    assert endless.is_begun.wait(PATIENCE_S)
    waiting = client.send("threads")
    client.send("cancel", {"requestId": waiting})
    endless.is_over.set()
    with pytest.raises(Rejected, match="too late"):
        client.response(launch)
    with pytest.raises(Rejected, match=r"^cancelled$"):
        client.response(waiting)


def test_a_program_can_be_launched_after_one_that_was_cancelled(client: DapClient) -> None:
    client.initialize()
    program = Endless()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lifecycle, "read_configuration", program.read)
        launch = client.send("launch", {"program": "kernel.s"})
        assert program.is_begun.wait(PATIENCE_S)
        client.request("cancel", requestId=launch)
    client.start(LOOP)
    program.is_over.set()
    assert client.stopped()["description"].startswith("halted")


def test_a_restart_that_is_cancelled_leaves_the_program(client: DapClient) -> None:
    client.start(LOOP)
    client.stopped()
    program = Endless()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lifecycle, "read_configuration", program.read)
        restart = client.send("restart")
        assert program.is_begun.wait(PATIENCE_S)
        client.request("cancel", requestId=restart)
    with pytest.raises(Rejected, match=r"^cancelled$"):
        client.response(restart)
    program.is_over.set()
    assert client.evaluate("pc")
