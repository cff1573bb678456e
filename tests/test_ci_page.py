"""What `docs/ci.md` tells to write into a CI's files does there what the page says."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator
from xml.etree import ElementTree

import pytest
import yaml
from jsonschema import Draft4Validator

from ipu_asm.cli.lint import cache

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
CONTENTS = [yaml.safe_load(text) for language, text in BLOCKS if language == "yaml"]
YAMLS = [content for content in CONTENTS if isinstance(content, dict)]  # files; others are steps
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
SARIF = json.loads((ROOT / "tests" / "data" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
REVIEWER = "cat > rdjson.json"
CHECKOUT = "./tools/ipu-asm"


def steps() -> Iterator[dict[str, Any]]:
    """All steps of GitHub's workflows on the page."""
    for workflow in YAMLS:
        for job in workflow.get("jobs", {}).values():
            yield from job["steps"]


def lines() -> list[str]:
    """Every line of shell on the page that calls `ipu-lint`."""
    found = [step["run"] for step in steps() if "run" in step]
    found += [line for content in YAMLS for line in content.get("ipu-lint", {}).get("script", ())]
    found += re.findall(r"sh '(.*)'", PAGE)
    found += [line for name, text in BLOCKS if name == "sh" for line in text.splitlines()]
    return [line for line in found if line.startswith("ipu-lint ")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a kernel that has a mistake, and one with a warning."""
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    (kernels / "mistake.s").write_text("acc.frist;;\nbkpt;;\n")
    (kernels / "warning.s").write_text("set lr0 40000;;\nbkpt;;\n")
    programs = tmp_path / "bin"
    programs.mkdir()
    for command in ("lint", "mca"):
        program = programs / f"ipu-{command}"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m ipu_asm {command} "$@"\n')
        program.chmod(0o755)
    return tmp_path


def check_shell(script: str, folder: Path, status: int, **variables: str) -> str:
    """What a script prints that ends with this status, in a project with a mistake."""
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, **variables}
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    ended = subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True)
    assert ended.returncode == status, ended.stdout + ended.stderr
    assert ended.stderr == ""
    return ended.stdout


def check_findings(form: str, text: str) -> None:
    """Asserts that a text has both findings, in the form that its reader asks for."""
    if form == "github":
        assert text.startswith("::error file=kernels/mistake.s,line=1,col=1,")
        assert "::warning file=kernels/warning.s,line=1,col=9," in text
    elif form == "sarif":
        Draft4Validator(SARIF).validate(json.loads(text))
        results = json.loads(text)["runs"][0]["results"]
        assert [result["ruleId"] for result in results] == ["E101", "W203"]
    elif form == "gitlab":
        issues = json.loads(text)
        fields = {"description", "check_name", "fingerprint", "severity", "location"}
        assert all(fields <= set(issue) for issue in issues)
        assert [issue["severity"] for issue in issues] == ["major", "minor"]
        assert issues[0]["location"]["path"] == "kernels/mistake.s"
        assert issues[0]["location"]["lines"]["begin"] == 1
    elif form == "junit":
        suite = ElementTree.fromstring(text)
        assert suite.tag == "testsuites"
        assert len(list(suite.iter("failure"))) == 2
    else:
        assert form == "rdjson"
        found = json.loads(text)["diagnostics"]
        assert [item["severity"] for item in found] == ["ERROR", "WARNING"]


@pytest.mark.parametrize("line", lines())
def test_a_line_of_the_page_tells_its_reader_of_the_mistake(line: str, folder: Path) -> None:
    words = shlex.split(line)
    form = words[words.index("--format") + 1]
    status = 0 if "--exit-zero" in words else 1
    printed = check_shell(re.sub(r"reviewdog .*", REVIEWER, line), folder, status)
    if "-o" in words:
        printed = (folder / words[words.index("-o") + 1]).read_text(encoding="utf-8")
    elif "reviewdog" in words:
        printed = (folder / "rdjson.json").read_text(encoding="utf-8")
    check_findings(form, printed)


def test_a_broken_budget_is_an_annotation_and_fails_the_job(folder: Path) -> None:
    [script] = [step["run"] for step in steps() if "ipu-mca" in step.get("run", "")]
    for kernel in (folder / "kernels").iterdir():
        kernel.unlink()
    loop = (
        "    set lr1 9;;\n# CYCLES <= {}\nloop: incr lr2 1;;\n    bne lr2 lr1 loop;;\n    bkpt;;\n"
    )
    (folder / "kernels" / "good.s").write_text(loop.format(2))
    assert check_shell(script, folder, 0) == ""
    (folder / "kernels" / "bad.s").write_text(loop.format(1))
    printed = check_shell(script, folder, 1)
    assert printed.startswith("::error file=kernels/bad.s,line=2,")
    assert "E501 assertion-false" in printed
    assert printed.count("\n") == 1


def test_every_format_that_a_ci_reads_is_on_the_page() -> None:
    found = {re.findall(r"--format (\w+)", line)[0] for line in lines()}
    assert found == {"github", "sarif", "gitlab", "junit", "rdjson"}


def test_what_a_line_writes_is_what_a_later_step_reads() -> None:
    files = {"gl-code-quality-report.json", "ipu.sarif", "ipu-lint.xml"}
    assert {name for line in lines() for name in re.findall(r"-o (\S+)", line)} == files
    uploads = [step for step in steps() if "upload-sarif" in step.get("uses", "")]
    assert {step["with"]["sarif_file"] for step in uploads} == {"ipu.sarif"}
    [gitlab] = [content["ipu-lint"] for content in YAMLS if "ipu-lint" in content]
    assert gitlab["artifacts"]["reports"]["codequality"] == "gl-code-quality-report.json"
    assert "junit 'ipu-lint.xml'" in PAGE


def test_a_job_that_uploads_may_write_there() -> None:
    jobs = [job for content in YAMLS for job in content.get("jobs", {}).values()]
    for job in jobs:
        uploads = any("upload-sarif" in step.get("uses", "") for step in job["steps"])
        assert uploads == (job.get("permissions", {}).get("security-events") == "write")


def test_the_step_that_keeps_the_cache_names_its_folder() -> None:
    [[step]] = [content for content in CONTENTS if isinstance(content, list)]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(cache.VARIABLE)
        patch.delenv("XDG_CACHE_HOME", raising=False)
        assert os.path.expanduser(step["with"]["path"]) == cache.cache_folder()
    assert step["with"]["key"].startswith(step["with"]["restore-keys"])


def test_the_hooks_on_the_page_are_those_that_there_are() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    checkout, local = [repo for content in YAMLS for repo in content.get("repos", ())]
    names = {hook["id"] for hook in hooks}
    assert checkout["repo"] == CHECKOUT
    assert {hook["id"] for hook in checkout["hooks"]} <= names
    assert all(name in PAGE for name in names)
    assert local["repo"] == "local"
    [hook] = local["hooks"]
    [published] = [published for published in hooks if published["id"] == hook["id"]]
    assert hook["entry"] == published["entry"]
    assert hook["files"] == "^kernels/.*" + published["files"]


def test_jobs_take_the_project_from_a_checkout_that_they_have() -> None:
    for content in YAMLS:
        for job in content.get("jobs", {}).values():
            [checkout] = [
                step for step in job["steps"] if "actions/checkout" in step.get("uses", "")
            ]
            assert checkout["with"] == {"submodules": True}
            used = [step for step in job["steps"] if CHECKOUT in step.get("run", step.get("uses"))]
            assert len(used) == 1
    [gitlab] = [content["ipu-lint"] for content in YAMLS if "ipu-lint" in content]
    assert gitlab["script"][0] == f"pip install {CHECKOUT}"
    assert gitlab["variables"] == {"GIT_SUBMODULE_STRATEGY": "normal"}


def test_the_page_gives_the_action_inputs_that_it_has_and_tells_of_all() -> None:
    [used] = [step["with"] for step in steps() if step.get("uses") == CHECKOUT]
    assert set(used) <= set(ACTION["inputs"])
    table = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert table == list(ACTION["inputs"])
    assert all(entry["description"] for entry in ACTION["inputs"].values())


def test_the_action_annotates_the_lines_and_fails(folder: Path) -> None:
    printed = check_action(folder, 1, paths="kernels", sarif="out.sarif")
    check_findings("github", printed)
    check_findings("sarif", (folder / "out.sarif").read_text(encoding="utf-8"))


def test_the_action_takes_options_and_several_paths(folder: Path) -> None:
    options = "--fail-level error --ignore E101"
    printed = check_action(folder, 0, paths="kernels/mistake.s\nkernels/warning.s", args=options)
    assert [line.partition(" ")[0] for line in printed.splitlines()] == ["::warning"]
    assert not (folder / "out.sarif").exists()


def test_the_action_writes_no_report_after_wrong_usage(folder: Path) -> None:
    _, lint = ACTION["runs"]["steps"]
    ended = subprocess.run(
        ["bash", "-c", lint["run"]],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "IPU_LINT": str(folder / "bin" / "ipu-lint"),
            "PATHS": "nowhere",
            "ARGS": "",
            "SARIF": "out.sarif",
        },
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "nowhere" in ended.stderr
    assert not (folder / "out.sarif").exists()


@pytest.mark.parametrize(("version", "wanted"), [("", "{source}"), ("1.2.3", "ipu-asm==1.2.3")])
def test_the_action_installs_its_own_version_or_the_one_that_is_asked_for(
    version: str, wanted: str, folder: Path
) -> None:
    # A Python that makes a folder with programs, one of which writes down how it is called.
    python = folder / "bin" / "python3"
    python.write_text(
        '#!/bin/sh\nmkdir -p "$3/bin"\nprintf "#!/bin/sh\\necho \\$* > $OUT\\n" > "$3/bin/python"\n'
        'chmod +x "$3/bin/python"\n'
    )
    python.chmod(0o755)
    install, _ = ACTION["runs"]["steps"]
    assert set(install["env"]) == {"VERSION", "SOURCE"}
    out, later = folder / "called", folder / "environment"
    variables = {"RUNNER_TEMP": str(folder / "t"), "GITHUB_ENV": str(later), "OUT": str(out)}
    source = str(ROOT)
    check_shell(install["run"], folder, 0, VERSION=version, SOURCE=source, **variables)
    assert out.read_text().split() == [
        "-m",
        "pip",
        "install",
        "--quiet",
        wanted.format(source=source),
    ]
    assert later.read_text() == f"IPU_LINT={folder}/t/ipu-lint/bin/ipu-lint\n"


def check_action(folder: Path, status: int, **inputs: str) -> str:
    """What the action prints with these inputs, once it is installed."""
    _, lint = ACTION["runs"]["steps"]
    given = {name: entry["default"] for name, entry in ACTION["inputs"].items()} | inputs
    variables = {
        name: given[re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", value)[1]]  # type: ignore[index]
        for name, value in lint["env"].items()
    }
    program = str(folder / "bin" / "ipu-lint")
    return check_shell(lint["run"], folder, status, IPU_LINT=program, **variables)
