"""Under `python -O` mistakes are told as without it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from calque.config import FeatureOptions
from calque.model import Model


def last_line(program: str, *arguments: object) -> str:
    """What `python -O` says last of a program that fails."""
    command = [sys.executable, "-O", "-c", program, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode != 0, result.stdout
    return result.stderr.splitlines()[-1]


def test_a_template_with_a_slot_that_does_not_exist_is_refused() -> None:
    program = "from calque.features import Template; Template('a', ('sorce',))"
    assert "OptionError: template 'a': no slot is called 'sorce'" in last_line(program)


def test_a_model_whose_features_lack_their_data_is_refused(trained: Path, tmp_path: Path) -> None:
    model = Model.load(trained)
    wrong = replace(model, feature_options=FeatureOptions(dense="fertility"))
    wrong.save(tmp_path / "wrong", {})
    program = "import sys, calque.model; calque.model.Model.load(sys.argv[1])"
    said = last_line(program, tmp_path / "wrong")
    assert "ModelError" in said
    assert "no data for the feature 'fertility'" in said
