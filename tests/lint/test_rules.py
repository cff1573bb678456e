"""Every rule keeps the promises of its documentation and its examples."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import pytest

import ipu_asm
from ipu_asm import diagnostics
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.analysis.doubtful_isa import with_isa_hint
from ipu_asm.assembler.encode import AssemblyError, assemble
from ipu_asm.config.isa_choice import UNCLAIMED, IsaChoice
from ipu_asm.diagnostics import Applicability, Diagnostic, RuleId, Severity
from ipu_asm.isa import load_isa, manifests
from ipu_asm.lint import Rule
from ipu_asm.lint.rules import REPEATED_LINE, all_rules, rules_for
from ipu_asm.text import apply_edits

RULES = {rule.id.name: rule for rule in all_rules()}
HEADINGS = ["What it does", "Why", "Example", "Use instead"]
FOLDER = Path(__file__).resolve().parents[2] / "examples"
EXAMPLES = sorted([*FOLDER.glob("*.s"), *FOLDER.glob("*.asm")])
MOST_ROUNDS = 10
PACKAGE = Path(ipu_asm.__path__[0])
RULE_FOLDERS = [
    folder
    for folder in (*PACKAGE.glob("lint/rules/**/"), *PACKAGE.glob("targets/*/rules/"))
    if folder.name != "__pycache__"
]

ISA_OF = {rule.id: rule.isa for rule in RULES.values()}

_analyzer_for = lru_cache(lambda isa: Analyzer(load_isa(isa)))


def rules_in(folder: Path) -> list[Rule]:
    """The rules whose modules are in a folder; each has the name of its file."""
    paths = *folder.glob("[!_]*.py"), *folder.glob("*.md")
    return [RULES[path.stem.replace("_", "-")] for path in paths]


def check_findings(
    text: str, rule: RuleId | None = None, isa: str | None = None
) -> list[Diagnostic]:
    """The findings, of one rule or of all; each of them and its fix lies inside the text.

    Without `isa` the text is in the instruction set of the rule's examples.
    """
    analyzer = _analyzer_for(isa or ISA_OF[rule] if rule else isa or "ipu")
    choice = IsaChoice(UNCLAIMED, "", is_explicit=analyzer.isa.name != "ipu")
    found = [
        finding
        for finding in with_isa_hint(analyzer.analyze(text, "example"), choice).diagnostics
        if rule is None or finding.rule == rule
    ]
    for finding in found:
        edits = finding.fix.edits if finding.fix else ()
        spans = [finding.span, *(edit.span for edit in edits)]
        assert all(0 <= start <= end <= len(text) for start, end in spans)
    return found


def marked(text: str, findings: list[Diagnostic]) -> str:
    """The text with its findings between brackets."""
    ends = [(finding.span.end, "⟧") for finding in findings]
    starts = [(finding.span.start, "⟦") for finding in findings]
    for offset, bracket in sorted(starts + ends, reverse=True):
        text = text[:offset] + bracket + text[offset:]
    return text


def without_marks(text: str) -> str:
    """An invalid example as the program that it is."""
    return text.replace("⟦", "").replace("⟧", "")


def sections(rule: Rule) -> dict[str, str]:
    """The parts of a rule's documentation by their headings."""
    parts = re.split(r"^## (.+)\n", rule.documentation, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def programs(section: str) -> list[str]:
    """The programs in a part of the documentation, with `# N times` carried out."""
    fences = re.findall(r"^```\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL)
    return [REPEATED_LINE.sub(_repeated, fence) for fence in fences]


def _repeated(match: re.Match[str]) -> str:
    return f"{match[1].rstrip()}\n" * int(match[2])


def mended(text: str, rule: RuleId, most: Applicability) -> str:
    """The text after the fixes of one rule up to an applicability, one by one."""
    for _ in range(MOST_ROUNDS):
        fixes = [finding.fix for finding in check_findings(text, rule) if finding.fix]
        wanted = [fix for fix in fixes if fix.applicability <= most]
        if not wanted:
            break
        text = apply_edits(text, wanted[0].edits)
    return text


def has_errors(text: str, isa: str = "ipu") -> bool:
    return any(finding.severity is Severity.ERROR for finding in check_findings(text, isa=isa))


EVERY_RULE = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


@EVERY_RULE
def test_valid_examples_are_silent(rule: Rule) -> None:
    for example in rule.valid:
        assert check_findings(example, rule.id) == [], example


@EVERY_RULE
def test_invalid_examples_have_exactly_the_marked_findings(rule: Rule) -> None:
    for example in rule.invalid:
        text = without_marks(example)
        assert marked(text, check_findings(text, rule.id)) == example
        assert text != example


@EVERY_RULE
def test_the_documentation_has_a_summary_and_the_four_headings(rule: Rule) -> None:
    assert list(sections(rule)) == HEADINGS
    assert rule.summary.endswith(".")
    assert len(rule.summary) <= 80
    assert all(text.strip() for text in sections(rule).values())


@EVERY_RULE
def test_the_documented_example_has_the_finding_and_the_remedy_has_none(rule: Rule) -> None:
    bad, good = programs(sections(rule)["Example"]), programs(sections(rule)["Use instead"])
    assert bad
    assert good
    for program in bad:
        assert check_findings(program, rule.id)
    for program in good:
        found = check_findings(program, isa=rule.isa)
        left = [f"{one.name}: {one.message}" for one in found if one.severity is not Severity.HINT]
        assert left == [], "the remedy has a warning or an error, perhaps of another rule"
        assert check_findings(program, rule.id) == []


@EVERY_RULE
def test_a_rule_comes_with_the_fixes_that_it_says(rule: Rule) -> None:
    found = [
        finding
        for example in rule.invalid
        for finding in check_findings(without_marks(example), rule.id)
    ]
    applicabilities = {finding.fix.applicability for finding in found if finding.fix}
    assert sorted(applicabilities) == sorted(rule.fixes)


@EVERY_RULE
def test_safe_fixes_mend_all_findings_that_have_one(rule: Rule) -> None:
    for example in rule.invalid:
        text = mended(without_marks(example), rule.id, Applicability.SAFE)
        left = [each.fix for each in check_findings(text, rule.id) if each.fix]
        assert [fix for fix in left if fix.is_safe] == [], example


@EVERY_RULE
def test_unsafe_fixes_mend_the_others_and_break_nothing(rule: Rule) -> None:
    for example in rule.invalid:
        before = without_marks(example)
        after = mended(before, rule.id, Applicability.UNSAFE)
        left = [each.fix for each in check_findings(after, rule.id) if each.fix]
        assert all(fix.applicability is Applicability.DISPLAY for fix in left), example
        assert has_errors(before, rule.isa) or not has_errors(after, rule.isa), example


@pytest.mark.parametrize("example", RULES["immediate-wraps"].invalid)
def test_the_written_negative_number_gives_the_same_words(example: str) -> None:
    before = without_marks(example)
    after = mended(before, RULES["immediate-wraps"].id, Applicability.DISPLAY)
    assert after != before
    assert assemble(after) == assemble(before)


@pytest.mark.parametrize("example", RULES["break-never-matches"].invalid)
def test_the_written_unsigned_number_gives_the_same_words(example: str) -> None:
    before = without_marks(example)
    after = mended(before, RULES["break-never-matches"].id, Applicability.DISPLAY)
    assert after != before
    assert assemble(after) == assemble(before)


@pytest.mark.parametrize("example", RULES["unused-label"].invalid)
def test_a_removed_label_leaves_the_words_alone(example: str) -> None:
    before = without_marks(example)
    after = mended(before, RULES["unused-label"].id, Applicability.UNSAFE)
    assert assemble(after) == assemble(before)


@pytest.mark.parametrize("example", RULES["explicit-break"].invalid)
def test_a_removed_break_leaves_all_other_slots_alone(example: str) -> None:
    before = without_marks(example)
    after = mended(before, RULES["explicit-break"].id, Applicability.UNSAFE)
    below = (1 << 157) - 1
    assert [word & below for word in assemble(after)] == [word & below for word in assemble(before)]
    assert all(word >> 177 == 2 for word in assemble(after))


def test_an_error_says_why_nothing_can_be_assembled_unless_it_is_in_a_comment() -> None:
    for rule in all_rules():
        if rule.id == diagnostics.ASSERTION_FALSE:
            assert all(assemble(without_marks(example)) for example in rule.invalid)
        elif rule.id.severity is Severity.ERROR:
            for example in rule.invalid:
                with pytest.raises(AssemblyError):
                    assemble(without_marks(example))


def _built_in() -> list[RuleId]:
    return [value for value in vars(diagnostics).values() if isinstance(value, RuleId)]


def test_codes_and_names_are_unique() -> None:
    ids = [rule.id for rule in all_rules()]
    assert len({rule.code for rule in ids}) == len(ids)
    assert len({rule.name for rule in ids}) == len(ids)


def test_a_code_begins_with_the_letter_of_its_severity_or_of_its_instruction_set() -> None:
    letters = {Severity.ERROR: "E", Severity.WARNING: "W", Severity.HINT: "H"}
    control_run = next(folder for folder in RULE_FOLDERS if folder.name == "control_run")
    shared = [*vars(diagnostics).values(), *(rule.id for rule in rules_in(control_run))]
    for rule in all_rules():
        is_ours = manifests()[rule.isa].language_id == manifests()["ipu"].language_id
        is_shared = is_ours or rule.id in shared
        own = letters[rule.id.severity] if is_shared else "[^EWH]"
        own = f"[{own}I]" if rule.isa == "ipu2" else own
        assert re.fullmatch(rf"{own}\d{{3}}", rule.id.code)
    for folder in RULE_FOLDERS:
        if folder.parent.parent.name == "targets":
            initials = {rule.id.code[0] for rule in rules_in(folder) if rule.isa != "ipu"}
            assert len(initials) <= 1


def test_every_error_has_a_rule() -> None:
    ids = {rule for rule in vars(diagnostics).values() if isinstance(rule, RuleId)}
    rules = {rule.id for rule in all_rules()}
    assert ids <= rules
    assert {rule for rule in rules if rule.code.startswith("E")} <= ids


def test_every_module_is_a_rule_of_its_name() -> None:
    found = [rule for folder in RULE_FOLDERS for rule in rules_in(folder)]
    assert len(found) == len(RULES)


def test_every_rule_has_one_check_and_a_built_in_one_has_none() -> None:
    for folder in RULE_FOLDERS:
        for rule in rules_in(folder):
            checks = (rule.check_bundle is not None) + (rule.check_program is not None)
            assert checks == (folder.name != "built_in"), rule.id


def test_a_rule_is_checked_where_its_folder_says() -> None:
    own = {name: {rule.id.code[0] for rule in rules_for(load_isa(name))} for name in manifests()}
    assert own["ipu"] == set("EWH")
    assert own["ipu2"] == set("EWHI")
    assert own["edgenpu"] == set("EWHN")
    assert own["colossus"] == set("EWHC")
    assert own["xdna1"] == own["xdna2"] == set("EWHX")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_kernel_is_silent(path: Path) -> None:
    assert check_findings(path.read_text(encoding="utf-8")) == []


def test_there_are_example_kernels() -> None:
    assert len(EXAMPLES) >= 5


def test_of_the_examples_of_instructions_only_the_deprecated_ones_are_called_so() -> None:
    for spec in load_isa("ipu").instructions.values():
        names = {finding.name for finding in check_findings(spec.doc.example)}
        assert ("deprecated-mnemonic" in names) == bool(spec.deprecated)
        assert ("explicit-break" in names) == (spec.flow == "break")
        assert not has_errors(spec.doc.example)
