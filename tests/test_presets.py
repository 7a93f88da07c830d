"""From two files to a finished model in one command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Run, done, mistake

import calque as api
from calque.config import DecodeOptions, RoundOptions, TrainOptions, fill
from calque.config.decode import FITTED, THOROUGH
from calque.config.presets import CHART_PRESETS, MIRA, PRESETS, TuningStep
from calque.data import CorpusFiles, write_corpus
from calque.decode import Translator, load
from calque.errors import CalqueError
from calque.features import Weights
from calque.features.jumps import LIMITS
from calque.model import ModelFolder
from calque.model.engine import check_engine
from calque.model.weights import weight_names
from calque.text import BitextFiles, read_lines, write_lines
from calque.tune import PoolTrainer
from calque.tune.effort import LIMITS as LIMITS_OF_EFFORT
from calque.tune.examples import EXAMPLES
from calque.tune.loop import Trainer
from calque.tune.problem import Problem, Vector
from calque.tune.registry import find_method
from calque.tune.run import ROUNDS
from calque.tune.steps import DevelopmentSet, tune_in_steps


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("presets")
    return write_corpus(folder, "near", {"train": 300, "dev": 12, "test": 10}, seed=6)


def arguments(files: CorpusFiles, model: Path) -> list[str | Path]:
    given: list[str | Path] = ["--source", files.train_source, "--target", files.train_target]
    given += ["--dev-source", files.dev_source]
    for reference in files.dev_references:
        given += ["--dev-reference", reference]
    return [*given, "--model", model, "--threads", "2"]


def test_options_of_all_presets_are_valid() -> None:
    assert CHART_PRESETS.keys() == PRESETS.keys()
    for preset in CHART_PRESETS.values():
        check_engine(fill(TrainOptions(), {"decode.engine": "chart", **preset.train}))
    for preset in (*PRESETS.values(), *CHART_PRESETS.values()):
        fill(TrainOptions(), preset.train).align.check()
        for step in preset.steps:
            find_method(step.method)(seed=1, **step.options)


def test_one_command_trains_tunes_and_learns_and_python_does_the_same(
    verb: Run, files: CorpusFiles, tmp_path: Path
) -> None:
    model, run = tmp_path / "model", tmp_path / "run"
    shown = done(verb("train", *arguments(files, model), "--run", run, "--seed", "3"))
    assert [line.split(":")[0] for line in shown.splitlines()] == ["mira", "xbleu", "search"]
    assert load(model).options.pop_limit in LIMITS_OF_EFFORT
    folder = ModelFolder(model)
    assert sorted(weight_names(folder)) == ["default", "mira", "xbleu"]
    assert folder.manifest.info["weights"] == "xbleu"
    assert folder.manifest.info["preset"] == "standard"
    assert folder.manifest.info["tuning xbleu"]["seed"] == 3
    assert load(model).options.distortion_limit in LIMITS
    tuned, learned = (load(model, name).model.weights for name in ("mira", "xbleu"))
    assert dict(tuned) == dict(learned)  # dense weights are those of MIRA
    assert len(tuned.sparse) == 0
    assert {path.name for path in run.iterdir()} >= {"mira-1", "mira-2", "mira-3", "xbleu"}
    dense = replace(load(model).model, weights=load(model, "default").model.weights)
    dense = replace(dense, feature_options=replace(dense.feature_options, sparse=""))
    options = replace(dense.decode_options, pop_limit=MIRA.pop_limit)
    task = api.DecoderTask(Translator(dense, options), files.dev_source, files.dev_references)
    runs = [api.Mira(seed=seed).fit(task).weights for seed in (3, 4, 5)]
    means = {name: sum(weights[name] for weights in runs) / 3 for name in tuned}
    size = sum(abs(value) for name, value in means.items() if name != "unknown")
    for name, value in tuned.items():
        assert value == pytest.approx(3 * means[name] / size)
    assert dict(runs[0]) != dict(runs[1])
    again = done(verb("train", *arguments(files, model), "--run", run, "--seed", "3"))
    assert again == shown
    translator = api.train(
        list(read_lines(files.train_source)),
        list(read_lines(files.train_target)),
        tmp_path / "other",
        dev_source=files.dev_source,
        dev_references=files.dev_references,
        seed=3,
        threads=1,
    )
    other = translator.model.weights
    assert dict(other) == dict(learned)
    for name, array in learned.sparse.to_arrays().items():
        assert (other.sparse.to_arrays()[name] == array).all()


def test_best_learns_again_from_lists_of_what_it_has_learned(
    files: CorpusFiles, tmp_path: Path
) -> None:
    api.train(
        files.train_source,
        files.train_target,
        tmp_path / "model",
        dev_source=files.dev_source,
        dev_references=files.dev_references,
        preset="best",
        run=tmp_path / "run",
    )
    rounds = [json.loads(line) for line in read_lines(tmp_path / "run" / "xbleu" / ROUNDS)]
    assert [done["round"] for done in rounds if done["n_new"]] == [0, 3]
    assert len(rounds) == 7
    assert load(tmp_path / "model").options.pop_limit in LIMITS_OF_EFFORT


@pytest.mark.slow
def test_rules_go_the_same_way(files: CorpusFiles, tmp_path: Path) -> None:
    model, run = tmp_path / "model", tmp_path / "run"
    translator = api.train(
        files.train_source,
        files.train_target,
        model,
        dev_source=files.dev_source,
        dev_references=files.dev_references,
        run=run,
        decode={"engine": "chart"},
    )
    assert {path.name for path in run.iterdir()} >= {"mira-1", "mira-2", "mira-3", "xbleu"}
    assert "mira" in weight_names(ModelFolder(model))
    assert translator.options.engine == "chart"


class Idle(PoolTrainer):
    """A method that never finds better weights."""

    method = "idle"
    can_repeat = True
    Options = RoundOptions

    def update(self, problem: Problem, weights: Vector) -> Vector:
        return weights


def test_a_step_that_learned_nothing_leaves_the_model_as_it_was(
    files: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model"
    translator = api.train(files.train_source, files.train_target, model, preset="fast")
    methods: dict[str, type[Trainer]] = {"idle": Idle, "mira": api.Mira}
    monkeypatch.setattr("calque.tune.steps.find_method", methods.__getitem__)
    text = BitextFiles(files.train_source, files.train_target)
    dev = DevelopmentSet(files.dev_source, files.dev_references)
    (idle,) = tune_in_steps(model, (TuningStep("idle", runs=2),), text, dev)
    assert idle.trouble == "nothing was learned: no round is better than the start"
    assert idle.summary.endswith("on the development set; the weights stay as they were")
    assert weight_names(ModelFolder(model)) == ["default"]
    # The next step begins with what the idle one began with, at the size that this one was to give.
    steps = TuningStep("idle", size=3.0), TuningStep("mira", {"rounds": 1})
    idle, mira = tune_in_steps(model, steps, text, dev, run=tmp_path / "run")
    start = {name: float(value) for name, value in translator.model.weights.items()}
    size = sum(abs(value) for name, value in start.items() if name != "unknown")
    begun = json.loads((tmp_path / "run" / "mira" / "run.json").read_text())["inputs"]["start"]
    assert begun == pytest.approx({name: 3 * value / size for name, value in start.items()})
    assert mira.trouble is None
    assert sorted(weight_names(ModelFolder(model))) == ["default", "mira"]


class Worse(Idle):
    """A method whose last round counts, although it is worse."""

    method = "worse"
    guards_length = False
    takes_last = True

    def update(self, problem: Problem, weights: Vector) -> Vector:
        return -weights


def test_steps_learn_from_the_search_that_they_name(files: CorpusFiles, tmp_path: Path) -> None:
    text = BitextFiles(files.train_source, files.train_target)
    dev = DevelopmentSet(files.dev_source, files.dev_references)
    searched = {}
    for given in (0, 30, 90):
        model, run = tmp_path / f"model{given}", tmp_path / f"run{given}"
        train_only = api.train(
            files.train_source,
            files.train_target,
            model,
            preset="fast",
            decode={"pop_limit": given},
        )
        tune_in_steps(model, (TuningStep("mira", {"rounds": 1}, pop_limit=60),), text, dev, run=run)
        record = json.loads((run / "mira" / "run.json").read_text())
        searched[given] = record["inputs"]["decode"]["pop_limit"]
        assert train_only.options.pop_limit == given
        assert load(model).options.pop_limit == given
    assert searched == {0: 60, 30: 60, 90: 60}


def test_a_last_round_below_the_start_does_not_count(
    files: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model"
    api.train(files.train_source, files.train_target, model, preset="fast")
    monkeypatch.setattr("calque.tune.steps.find_method", lambda name: Worse)
    text = BitextFiles(files.train_source, files.train_target)
    dev = DevelopmentSet(files.dev_source, files.dev_references)
    (worse,) = tune_in_steps(model, (TuningStep("worse", {"rounds": 1}),), text, dev)
    assert worse.results[0].chosen == 1
    assert worse.results[0].score < worse.results[0].history[0].score
    assert worse.trouble == "nothing was learned: the last round is worse than the start"
    assert weight_names(ModelFolder(model)) == ["default"]
    start = worse.results[0].history[0].score
    loss = (start - worse.results[0].score) / start
    for tolerance, names in ((0.99 * loss, ["default"]), (1.01 * loss, ["default", "worse"])):
        step = TuningStep("worse", {"rounds": 1}, tolerance=tolerance)
        tune_in_steps(model, (step,), text, dev)
        assert weight_names(ModelFolder(model)) == names


def test_runs_that_learned_nothing_are_not_part_of_the_mean(
    files: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model"
    api.train(files.train_source, files.train_target, model, preset="fast")

    def method(name: str) -> Any:
        return lambda seed, **options: (Idle if seed == 4 else api.Mira)(seed=seed, **options)

    monkeypatch.setattr("calque.tune.steps.find_method", method)
    text = BitextFiles(files.train_source, files.train_target)
    dev = DevelopmentSet(files.dev_source, files.dev_references)
    step = TuningStep("mira", {"rounds": 1}, runs=2)
    (done,) = tune_in_steps(model, (step,), text, dev, seed=3)
    assert [result.chosen for result in done.results] == [1, 0]
    assert done.trouble is None
    assert done.summary.endswith("weights are the mean of the runs that learned (1)")
    assert dict(load(model).model.weights) == pytest.approx(dict(done.results[0].weights))


def test_nothing_learned_is_an_exit_code_of_its_own(
    verb: Run, files: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calque.tune.steps.find_method", lambda name: Idle)
    told = verb("train", *arguments(files, tmp_path / "model"), "--preset", "fast")
    assert told.returncode == 3
    assert "idle: nothing was learned" in told.stderr
    assert "the weights stay as they were" in told.stdout
    load(tmp_path / "model")


def test_options_on_the_command_line_win_over_those_of_a_preset(
    verb: Run, files: CorpusFiles, tmp_path: Path
) -> None:
    command = arguments(files, tmp_path / "model")
    dense = ["--set", "features.sparse=", "--set", "align.symmetrization=union", "-q"]
    done(verb("train", *command[:4], *command[-4:], *dense))
    options = ModelFolder(tmp_path / "model").manifest.info["options"]
    assert options["features"]["sparse"] == ""
    assert options["align"]["symmetrization"] == "union"


@pytest.mark.parametrize(
    ("options", "fits", "pops"),
    [
        ({"distortion_limit": FITTED}, 6, 300),
        ({"distortion_limit": FITTED}, 9, 400),
        ({"distortion_limit": 4}, 12, 300),
        ({"distortion_limit": 12}, 6, 400),
        ({"distortion_limit": -1}, 6, 400),
        ({"distortion_limit": 12, "reordering": "mon"}, 6, 300),
        ({"engine": "chart"}, 6, 400),
        ({"distortion_limit": FITTED, "pop_limit": THOROUGH}, 6, 1000),
        ({"distortion_limit": FITTED, "pop_limit": THOROUGH}, 12, 3000),
        ({"distortion_limit": FITTED, "pop_limit": 70}, 12, 70),
    ],
)
def test_more_is_tried_where_words_may_move_far(
    options: dict[str, Any], fits: int, pops: int
) -> None:
    chosen = DecodeOptions(**{"pop_limit": FITTED, **options}).fitted(fits)
    assert chosen.pop_limit == pops
    limit = options.get("distortion_limit", 6)
    assert chosen.distortion_limit == (fits if limit == FITTED else limit)


def test_mistakes_show_before_the_work(verb: Run, files: CorpusFiles, tmp_path: Path) -> None:
    model = tmp_path / "model"
    command = arguments(files, model)
    short = tmp_path / "short"
    write_lines(short, list(read_lines(files.dev_source))[:-1])
    wrong: list[tuple[list[str | Path], str]] = [
        ([*command, "--preset", "standrd"], "preset 'standrd': did you mean 'standard'?"),
        ([*command[:4], *command[-4:], "--run", tmp_path / "run"], "--run DIR is for tuning"),
        ([*command[:6], *command[-4:]], "--dev-source F and --dev-reference F go together"),
        ([*command, "--dev-reference", short], "expected one translation per line"),
        ([*command, "--dev-reference", tmp_path / "none"], "no such file"),
        ([*command, "--set", "align.symmetrization=grow"], "unknown name 'grow': did you mean"),
        ([*command, "--set", "align.aligner=hmm, mhh"], "unknown name 'mhh'"),
        ([*command, "--set", "decode.distortion_limit=-3"], "expected a whole number of at least"),
        ([*command, "--set", "decode.pop_limit=-1"], "pop_limit=-1: expected 0 or more"),
    ]
    for given, told in wrong:
        assert told in mistake(verb("train", *given))
        assert not model.exists()
    limit = "distortion_limit=-2 is for training"
    text = ["--input", files.dev_source, "--distortion-limit", "-2"]
    done(verb("train", *command[:4], *command[-4:], "-q"))
    assert limit in mistake(verb("translate", "--model", model, *text))
    pops = ["--input", files.dev_source, "--pop-limit", "-2"]
    told = mistake(verb("translate", "--model", model, *pops))
    assert "pop_limit=-2 is for training, which finds one" in told
    with pytest.raises(CalqueError, match="expected both"):
        api.train(files.train_source, files.train_target, model, dev_source=files.dev_source)


def test_examples_of_a_run_are_of_the_text_on_which_the_round_was_chosen(
    files: CorpusFiles, tmp_path: Path
) -> None:
    """The training text may be long, and is not translated again for a few examples."""
    model = tmp_path / "model"
    api.train(files.train_source, files.train_target, model, preset="fast")
    dev = list(read_lines(files.dev_source))
    task = api.DecoderTask(
        model,
        files.train_source,
        [files.train_target],
        jackknife=2,
        dev_source=dev,
        dev_references=files.dev_references,
        n_best=10,
        start=Weights({**load(model).model.weights, "language_model": 0.0}),
    )
    api.Mira(rounds=2).fit(task, run=tmp_path / "run")
    shown = [json.loads(line) for line in read_lines(tmp_path / "run" / EXAMPLES)]
    assert shown
    assert {example["source"] for example in shown} <= set(dev)
