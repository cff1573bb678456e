"""One server process for each editor, shared by all tests that do not need one of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any, AsyncIterator

import pytest
import pytest_lsp

from tests.server.capability_sets import EDITORS
from tests.server.editor import CONFIG, Editor

HERE = Path(__file__).parent


async def _introduced(lsp_client: Editor, request: pytest.FixtureRequest) -> AsyncIterator[None]:
    await lsp_client.greet(request.param, EDITORS[request.param]())
    yield
    await lsp_client.shutdown_session()


_fixture: Any = pytest_lsp.fixture
# Every editor in turn.
editor = _fixture(config=CONFIG, scope="session", params=list(EDITORS))(_introduced)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is not in an editor's capabilities must not be sent to it."""
    for item in items:
        if item.path.parent == HERE and "editor" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"))
