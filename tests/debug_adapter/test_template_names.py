"""The names and values of templates: from outside, in expressions and beside registers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.programs import ROWS, TEMPLATE


@pytest.fixture
def stopped(client: DapClient) -> DapClient:
    """A client whose machine stands in front of the first bundle of `TEMPLATE`."""
    client.start(TEMPLATE, stopOnEntry=True, **ROWS)
    client.stopped()
    return client


def place(client: DapClient) -> tuple[str, int, str]:
    """Source, line and bundle of the innermost frame."""
    frame = client.frame()
    return frame["source"]["name"], frame["line"], frame["instructionPointerReference"]


def test_errors_of_a_template_are_where_they_were_written(client: DapClient) -> None:
    client.initialize()
    program = client.written('{% set k = "lr55" %}\nincr {{ k }} 1;;\nbkpt;;\n')
    with pytest.raises(Rejected, match=r"kernel\.s:2:6: "):
        client.request("launch", program=str(program))
    (output,) = client.events_named("output")
    assert (output["line"], output["column"]) == (2, 6)


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


def test_values_choose_one_of_the_contexts(client: DapClient) -> None:
    contexts = "{# ipu: context cpr=1 rows=3 #}{# ipu: context cpr=2 rows=5 #}"
    text = TEMPLATE.replace("{# ipu: context rows=3 #}", contexts)
    client.start(text, stopOnEntry=True, define={"cpr": 2})
    client.stopped()
    assert client.events_named("output") == []
    (found,) = client.breakpoints(11)
    assert found["message"] == "stands on 5 bundles"


def test_a_register_has_the_names_of_the_template_beside_it(stopped: DapClient) -> None:
    registers = stopped.variables("Loop registers")
    assert registers["lr5 (k_index)"]["evaluateName"] == "lr5"
    assert registers["lr5 (k_index)"]["value"].endswith("# index of the row")
    reference = stopped.scopes()["Loop registers"]["variablesReference"]
    for number, name in enumerate(("lr5 (k_index)", "lr5"), 7):
        arguments = {"name": name, "value": str(number)}
        stopped.request("setVariable", variablesReference=reference, **arguments)
        assert stopped.evaluate("lr5").split()[0] == str(number)


def test_expressions_know_the_names_of_the_template(stopped: DapClient) -> None:
    stopped.evaluate("k_index = 5", "repl")
    assert stopped.evaluate("k_index + rows", "hover") == "8"
    assert stopped.evaluate("lr5").split()[0] == "5"
    targets = stopped.request("completions", text="k_", column=3)["targets"]
    assert [(each["label"], each["detail"]) for each in targets][:1] == [("k_index", "lr5")]
    (found,) = stopped.breakpoints({"line": 11, "condition": "k_index == 6"})
    assert found["verified"]


def test_a_loop_variable_has_the_value_of_the_iteration(stopped: DapClient) -> None:
    with pytest.raises(Rejected, match="no register, label or name is called row"):
        stopped.evaluate("row")
    (found,) = stopped.breakpoints({"line": 4, "condition": "row == 2"})
    assert found["verified"]
    stopped.step("continue")
    assert place(stopped) == ("kernel.s", 4, "0x6")
    assert stopped.evaluate("row * 2", "hover") == "4"
    stopped.step("stepBack")
    stopped.step("stepBack")
    assert stopped.evaluate("row", "hover") == "1"
    assert "became true at cycle 3" in stopped.evaluate("when row == 1", "repl")
    (found,) = stopped.breakpoints({"line": 4, "condition": "column == 2"})
    assert not found["verified"]


def test_a_name_without_a_value_is_told_where_it_is_used(client: DapClient) -> None:
    client.initialize()
    program = client.written("set lr0 {{ cols }};;\nbkpt;;\n")
    with pytest.raises(Rejected, match=r"kernel\.s:1:12: .*cols is not defined"):
        client.request("launch", program=str(program))
    client.launch(program, define={"cols": 4}, stopOnEntry=True)
    client.configured()
    client.stopped()


@pytest.mark.parametrize(
    ("define", "reason"),
    [
        (3, "define is an object such as"),
        ({"a b": 1}, "define.a b is a name of letters, digits and underscores, found a b"),
        ({"cols": None}, "define.cols is a number, a boolean or a string"),
    ],
)
def test_values_that_no_template_can_use_are_refused(
    client: DapClient, define: object, reason: str
) -> None:
    client.initialize()
    with pytest.raises(Rejected, match=reason):
        client.request("launch", program=str(client.written("bkpt;;\n")), define=define)


def test_values_for_a_plain_program_are_told_to_be_ignored(client: DapClient) -> None:
    client.start("bkpt;;\n", define={"cols": 4}, stopOnEntry=True)
    client.stopped()
    (output,) = client.events_named("output")
    assert output["output"] == "define is ignored: kernel.s is no template\n"
