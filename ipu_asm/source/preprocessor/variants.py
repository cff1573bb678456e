"""Choice of the assumptions under which a file with unknown conditions is expanded.

The first answers all questions with no. For each branch that no expansion has read yet, one more
answers as few questions as possible with yes so that the branch is read: the number of expansions
is that of branches, not that of their combinations.
"""

from __future__ import annotations

from itertools import product
from typing import Callable, Iterator

from ipu_asm.source.preprocessor.conditions import Answers
from ipu_asm.source.preprocessor.lines import Line
from ipu_asm.source.preprocessor.results import Chain
from ipu_asm.source.preprocessor.run import Run

MOST_VARIANTS = 8
_MOST_QUESTIONS = 6
_MOST_ANSWERS = 256

_Branch = tuple[Line, int]


def variants(run: Callable[[Answers], Run]) -> list[Run]:
    """Return runs that together cover all branches, at most `MOST_VARIANTS`.

    Those that an `#error` refuses are left out, unless all are.
    """
    runs: list[Run] = []
    covered: set[_Branch] = set()
    waiting: list[tuple[_Branch | None, Answers]] = [(None, {})]
    met: set[_Branch] = set()
    while waiting and len(runs) < MOST_VARIANTS:
        branch, answers = waiting.pop(0)
        if branch in covered:
            continue
        made = run(answers)
        runs.append(made)
        if made.limits:
            return [made]
        covered.update(
            (chain.line, chain.taken) for chain in made.chains if chain.taken is not None
        )
        for branch, chain in _branches(made):
            if len(waiting) >= MOST_VARIANTS:
                break
            if branch not in covered and branch not in met:
                met.add(branch)
                further = _answers_for(chain, branch[1], answers)
                if further is not None:
                    waiting.append((branch, further))
    accepted = [each for each in runs if not each.is_refused]
    return accepted or runs[:1]


def described(run: Run) -> str:
    """Describe the assumptions of a run; empty if no condition was unknown."""
    asked = {question: answer for chain in run.chains for question, answer in chain.answers.items()}
    assumed = {each: answer for each, answer in asked.items() if run.answers.get(each)}
    chosen = assumed or asked
    return ", ".join(_said(question, answer) for question, answer in [*chosen.items()][:3])


def _said(question: str, answer: bool | int) -> str:
    if question.startswith("defined("):
        return f"`{question[8:-1]}` is {'' if answer else 'not '}defined"
    if isinstance(answer, bool):
        return f"`{question}` {'holds' if answer else 'does not hold'}"
    return f"`{question}` is {answer}"


def _branches(run: Run) -> Iterator[tuple[_Branch, Chain]]:
    for chain in run.chains:
        # Where an `#error` is reached, another branch is looked for, even one without text.
        for number in range(len(chain.conditions) + run.is_refused):
            yield (chain.line, number), chain


def _answers_for(chain: Chain, branch: int, answers: Answers) -> Answers | None:
    """Return answers that take a branch and change as few given answers as possible."""
    questions = _questions(chain, branch, answers)
    if len(questions) > _MOST_QUESTIONS:
        return None
    found: list[tuple[int, Answers]] = []
    values = [_possible(chain, question) for question in questions]
    for number, chosen in enumerate(product(*values)):
        if number >= _MOST_ANSWERS:
            break
        tried = {**answers, **dict(zip(questions, chosen, strict=True))}
        if _takes(chain, branch, tried):
            changed = sum(
                tried[question] != chain.answers.get(question, False) for question in questions
            )
            found.append((changed, tried))
    return min(found, key=lambda each: each[0])[1] if found else None


def _questions(chain: Chain, branch: int, answers: Answers) -> list[str]:
    asked: dict[str, bool | int] = {}
    for condition in chain.conditions[: branch + 1]:
        if condition is not None:
            condition.holds(answers, asked)
    return [*asked]


def _possible(chain: Chain, question: str) -> tuple[bool | int, ...]:
    for condition in chain.conditions:
        if condition is not None and question in condition.choices:
            return condition.choices[question]
    return (False, True)


def _takes(chain: Chain, branch: int, answers: Answers) -> bool:
    for number, condition in enumerate(chain.conditions[: branch + 1]):
        if condition is None or condition.holds(answers):
            return number == branch
    return branch == len(chain.conditions)
