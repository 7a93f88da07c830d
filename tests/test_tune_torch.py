"""The pass on torch equals that of the core, and asks for what it needs in one line."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run, mistake
from hypothesis import given, settings
from hypothesis import strategies as st
from test_tune_expected_bleu import copy_of, inner, many_lists, objective_of
from test_tune_relevant_set import lists_of, random_problem
from tuning_lists import planted

import calque
from calque import _core
from calque.errors import CalqueError, OptionError
from calque.tune import NBestTask, Xbleu
from calque.tune.problem import Vector
from calque.tune.working_copy import WorkingCopy
from calque.tune.xbleu.devices import check_device, pass_on
from calque.tune.xbleu.objective import Pass

try:
    import torch
except ModuleNotFoundError:
    HAS_TORCH, HAS_GPU = False, False
else:
    HAS_TORCH, HAS_GPU = True, torch.cuda.is_available()

needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed (calque[gpu])")
DEVICES = [
    pytest.param("torch-cpu", marks=needs_torch),
    pytest.param("cuda", marks=pytest.mark.skipif(not HAS_GPU, reason="torch finds no GPU here")),
]


def on_torch(copy: WorkingCopy, worths: Vector, scale: float = 1.0, **limits: Any) -> Pass:
    from calque.tune.xbleu.on_torch import TorchPass, device_of

    return TorchPass(copy, worths, scale, device_of("torch-cpu"), **limits)


@needs_torch
@given(
    seed=st.integers(0, 10**6),
    counts=st.booleans(),
    scale=st.sampled_from([1.0, 0.3, 4.0]),
    most_entries=st.sampled_from([1, 20, 10**6]),
)
@settings(max_examples=100, deadline=None)
def test_value_and_derivatives_are_those_of_the_core(
    seed: int, counts: bool, scale: float, most_entries: int
) -> None:
    rng = np.random.default_rng(seed)
    lists = random_problem(rng, counts)
    worths = rng.random(len(lists)).round(1)
    start = rng.normal(size=lists.n_features)
    moving = rng.random(lists.n_features) < 0.8
    copy, own = copy_of(lists, moving, start), inner(lists, moving, start)
    expected, found = np.zeros(len(own)), np.zeros(len(own))
    total = _core.expected_worth(copy.lists, worths, scale, own, 1, expected)
    mine = on_torch(copy, worths, scale, most_entries=most_entries)
    assert mine(own, found) == pytest.approx(total, rel=1e-12)
    assert mine(own) == pytest.approx(total, rel=1e-12)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-13)
    assert not found[expected == 0].any(), "what cancels must be nothing: rules look at signs"


@pytest.mark.parametrize("device", DEVICES)
def test_the_objective_and_its_gradient_agree_within_1e_5(device: Any) -> None:
    lists = many_lists()
    rng = np.random.default_rng(1)
    worths, weights = rng.random(len(lists)), rng.normal(size=lists.n_features)
    core = objective_of(lists, worths, scale=2.0, l2=0.1)
    copy = copy_of(lists, np.ones(lists.n_features, bool), np.zeros(lists.n_features))
    total = pass_on(device, copy, worths, 2.0)
    other = objective_of(lists, worths, scale=2.0, l2=0.1, total=total)
    (value, gradient), (mine, found) = core.gradient(weights), other.gradient(weights)
    assert mine == pytest.approx(value, rel=1e-5)
    assert found == pytest.approx(gradient, rel=1e-5)
    assert other.value(weights) == mine


@pytest.mark.parametrize("device", DEVICES)
def test_the_same_device_gives_the_same_bits_again(device: Any) -> None:
    lists = many_lists()
    rng = np.random.default_rng(3)
    worths, weights = rng.random(len(lists)), rng.normal(size=lists.n_features)
    copy = copy_of(lists, np.ones(lists.n_features, bool), np.zeros(lists.n_features))
    found = set()
    for _ in range(3):
        total = pass_on(device, copy, worths, 2.0)
        assert total is not None
        for _ in range(10):
            gradient = np.zeros(lists.n_features)
            found.add((total(weights, gradient), gradient.tobytes()))
    assert len(found) == 1


@needs_torch
def test_what_has_no_room_on_the_device_is_read_again_and_changes_no_bit() -> None:
    lists = many_lists()
    rng = np.random.default_rng(2)
    worths, weights = rng.random(len(lists)), rng.normal(size=lists.n_features)
    moving = np.ones(lists.n_features, bool)
    copies = [copy_of(lists, moving, weights, on_disk=on_disk) for on_disk in (False, True)]
    found = set()
    for copy in copies:
        for room in (None, 0, 20_000):
            mine = on_torch(copy, worths, most_entries=3000, room=room)
            for _ in range(2):  # the second time with what stayed
                gradient = np.zeros(len(weights))
                found.add((mine(weights, gradient), gradient.tobytes()))
    assert len(found) == 1


@needs_torch
def test_sentences_without_a_choice_have_no_derivative() -> None:
    lists = lists_of([[{"7": 1.0}, {"8": 1.0}], [{"9": 1.0}]], ())
    copy = copy_of(lists, np.ones(lists.n_features, bool), np.zeros(lists.n_features))
    gradient = np.zeros(lists.n_features)
    total = on_torch(copy, np.array([0.3, 0.3, 0.2]))(np.ones(lists.n_features), gradient)
    assert total == pytest.approx(0.5)
    assert not gradient.any()


@needs_torch
def test_lists_with_masks_are_for_the_core() -> None:
    lists = many_lists(n_sentences=100)
    copy = copy_of(lists, np.ones(lists.n_features, bool), np.zeros(lists.n_features), masks=True)
    with pytest.raises(CalqueError, match="all entries"):
        on_torch(copy, np.ones(len(lists)))


@needs_torch
@pytest.mark.parametrize("update", ["rprop", "adagrad", "sgd"])
def test_training_on_torch_ends_with_the_weights_of_the_core(update: Any, tmp_path: Path) -> None:
    nbest, reference = planted(tmp_path, 12, [1.0, -0.5, 0.3], n_sparse=1)
    results = [
        Xbleu(rounds=2, iterations=3, update=update, device=device, seed=1).fit(
            NBestTask(nbest, [reference], start={"f0": 0.1, "f1": 0.3, "f2": 0.3})
        )
        for device in ("core", "torch-cpu")
    ]
    core, other = (result.weights.by_name() for result in results)
    assert other == pytest.approx(core, rel=1e-5)
    assert any(core[name] != 0 for name in core)


@needs_torch
def test_small_steps_are_for_the_core(tmp_path: Path) -> None:
    nbest, reference = planted(tmp_path, 4, [1.0])
    trainer = Xbleu(update="adagrad", batch=4, device="torch-cpu")
    with pytest.raises(OptionError, match="batch goes with device=core, not with torch-cpu"):
        trainer.fit(NBestTask(nbest, [reference]))


def tuned_on(device: str, verb: Run, folder: Path) -> Any:
    nbest, reference = planted(folder, 4, [1.0])
    return verb(
        *("tune", "--nbest", nbest, "--reference", reference, "--method", "xbleu"),
        *("--weights", folder / "w", "--set", f"device={device}"),
    )


@pytest.mark.skipif(not HAS_TORCH or HAS_GPU, reason="for torch without a GPU")
def test_a_missing_gpu_is_one_clear_line(verb: Run, tmp_path: Path) -> None:
    assert "device=cuda: torch finds no GPU here" in mistake(tuned_on("cuda", verb, tmp_path))
    assert not (tmp_path / "w").exists()


@pytest.mark.parametrize("device", ["cuda", "torch-cpu"])
def test_missing_torch_is_one_clear_line(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "calque.tune.xbleu.on_torch", raising=False)
    monkeypatch.delattr("calque.tune.xbleu.on_torch", raising=False)
    with pytest.raises(CalqueError, match=f"device={device} needs torch, .*pip install 'calque"):
        check_device(device)


def test_one_file_alone_imports_torch() -> None:
    package = Path(calque.__file__).parent
    importing = set()
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if any(name.split(".")[0] == "torch" for name in names):
                importing.add(file.relative_to(package).as_posix())
    assert importing == {"tune/xbleu/on_torch.py"}
