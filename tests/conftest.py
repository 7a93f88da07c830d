from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def calque() -> Run:
    """Runs the command line in a process of its own, as a user does."""

    def run(
        *arguments: object, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "calque", *(str(argument) for argument in arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            env={**os.environ, "COLUMNS": "100", **environment},
            timeout=300,
        )

    return run


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora; a test that needs it skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the real corpora in {SHARED}, which are not part of the project")
    return SHARED
