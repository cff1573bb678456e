"""The names and values of templates: from outside, in expressions and beside registers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.debug_adapter.client import DapClient
from tests.debug_adapter.programs import ROWS, TEMPLATE


@pytest.fixture
def stopped(client: DapClient) -> DapClient:
    """A client whose machine stands in front of the first bundle of `TEMPLATE`."""
    client.start(TEMPLATE, stopOnEntry=True, **ROWS)
    client.stopped()
    return client


def test_the_first_of_several_contexts_is_debugged_and_the_console_says_so(
    client: DapClient, tmp_path: Path
) -> None:
    configured = '[template."*.s"]\ncontexts = [{rows = 1}, {rows = 2}]\n'
    (tmp_path / "ipu.toml").write_text(configured)
    client.start(TEMPLATE.replace("{# ipu: context rows=3 #}", ""), 11, stopOnEntry=True)
    client.stopped()
    (output,) = client.events_named("output")
    assert output["output"].startswith("expanded in the first of 2 contexts, rows=1")
    (found,) = client.breakpoints(11)
    assert "message" not in found


def test_a_register_has_the_names_of_the_template_beside_it(stopped: DapClient) -> None:
    registers = stopped.variables("Loop registers")
    assert registers["lr5 (k_index)"]["evaluateName"] == "lr5"
    assert registers["lr5 (k_index)"]["value"].endswith("# index of the row")
    reference = stopped.scopes()["Loop registers"]["variablesReference"]
    for number, name in enumerate(("lr5 (k_index)", "lr5"), 7):
        arguments = {"name": name, "value": str(number)}
        stopped.request("setVariable", variablesReference=reference, **arguments)
        assert stopped.evaluate("lr5").split()[0] == str(number)
