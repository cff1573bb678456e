"""Instruction sets are pickled by their names."""

from __future__ import annotations

import pickle

import pytest

from ipu_asm.isa import available_isas, load_isa

MEMORIES = [
    (name, memory)
    for name in available_isas()
    for memory in ("", *(each.name for each in load_isa(name).memories))
]


@pytest.mark.parametrize(("name", "memory"), MEMORIES)
def test_a_set_from_another_process_is_the_one_that_is_loaded(name: str, memory: str) -> None:
    isa = load_isa(name, memory)
    pickled = pickle.dumps(isa)
    assert len(pickled) < 200
    assert pickle.loads(pickled) is isa


def test_a_set_of_the_users_own_is_pickled_whole() -> None:
    own = load_isa("colossus").in_memory(load_isa("colossus").memories[1].name)
    loaded = pickle.loads(pickle.dumps(own))
    assert loaded is not own
    assert loaded.memory == own.memory
    assert loaded.instructions.keys() == own.instructions.keys()
