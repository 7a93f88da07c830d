"""A part of the fuzzing and killing that `tests/fuzz.py` and `tests/kill.py` do at length."""

from __future__ import annotations

import pytest
from fuzz import READERS, fuzz
from kill import kill

TEXTS, ARRAYS, MODELS = READERS.values()


@pytest.mark.slow
@pytest.mark.parametrize("reader", [*TEXTS, *ARRAYS])
def test_damaged_files_are_read_or_refused(reader: str) -> None:
    assert fuzz(reader, first=1_000_000, n=1000) == (1000, [])


@pytest.mark.slow
@pytest.mark.parametrize("reader", MODELS)
def test_damaged_models_are_read_or_refused(reader: str) -> None:
    assert fuzz(reader, first=1_000_000, n=200) == (200, [])


@pytest.mark.slow
def test_killed_commands_leave_the_old_or_the_new_and_go_on() -> None:
    assert kill(16, seed=7) == (16, [])  # each command once
