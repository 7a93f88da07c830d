"""What users and machines throw at the command line: one line each, and nothing left behind."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, done, mistake

from calque.cli.main import run
from calque.data import CorpusFiles
from calque.decode import load
from calque.errors import CalqueError, FileError, OptionError, printable
from calque.features import Weights
from calque.hyps.part import Part
from calque.text import keep
from calque.text.arrays import read_arrays, write_arrays

BIG = 2**31


def test_messages_do_not_steer_the_terminal(tmp_path: Path, verb: Run) -> None:
    options = tmp_path / "options.toml"
    options.write_text('"\\u001b[2J" = 1\n')
    files = ["--source", options, "--target", options, "--model", tmp_path / "m"]
    line = mistake(verb("train", *files, "--config", options))
    assert "\x1b" not in line
    assert r"\x1b[2J" in line
    assert printable("häuser 東京 \u202e\x07") == "häuser 東京 \\u202e\\x07"


@pytest.mark.parametrize(
    "option", ["--threads", "--nbest", "--stack-size", "--pop-limit", "--distortion-limit"]
)
def test_numbers_that_no_machine_counts_to_are_one_line_or_no_limit(
    trained: Path, verb: Run, tmp_path: Path, option: str
) -> None:
    lists = ["--nbest-output", tmp_path / "lists"] if option == "--nbest" else []
    result = verb("translate", "-q", "--model", trained, option, BIG, *lists, stdin="el\n")
    if option == "--nbest":
        assert result.returncode == 0, result.stderr
    else:
        assert option.strip("-") in mistake(result)


def test_names_of_files_that_are_no_text_lose_nothing(corpus: CorpusFiles, tmp_path: Path) -> None:
    names = [os.fsdecode(os.fsencode(tmp_path) + b"/\xff." + side) for side in (b"es", b"en")]
    for name, path in zip(names, (corpus.train_source, corpus.train_target), strict=True):
        Path(name).write_bytes(path.read_bytes())
    arguments = ["--source", names[0], "--target", names[1], "--model", str(tmp_path / "m")]
    assert run(["train", "-q", *arguments]) == 0
    assert load(tmp_path / "m").translate("el").text


def test_a_training_that_fails_leaves_no_folder(
    corpus: CorpusFiles, tmp_path: Path, verb: Run
) -> None:
    files = ["--source", corpus.train_source, "--target", corpus.train_target]
    model = tmp_path / "model"
    for setting, problem in (
        ("features.source_tags=nope.tags", "nope.tags: no such file"),
        ("clean.max_words=1", "no sentence pairs left"),
    ):
        line = mistake(verb("train", "-q", *files, "--model", model, "--set", setting))
        assert problem.split(":")[0] in line or "left" in line or "no " in line
        assert not model.exists()


def test_the_aligner_is_looked_for_before_the_work(
    corpus: CorpusFiles, tmp_path: Path, verb: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("calque.model.build.read_bitext", None)  # whoever comes so far fails
    files = ["--source", corpus.train_source, "--target", corpus.train_target]
    chosen = ["--model", tmp_path / "m", "--set", "align.aligner=eflomal"]
    assert "eflomal-align is not on PATH" in mistake(verb("train", "-q", *files, *chosen))


def test_a_graph_is_of_one_piece(trained: Path, tmp_path: Path, verb: Run) -> None:
    long = " ".join(["el"] * 500)
    with pytest.raises(OptionError, match="a sentence of 500 words: a graph is of one piece"):
        load(trained).graph(long)


@pytest.mark.parametrize("regex", ["(a+)+c", "((a+)|b)+c", r"(\w+){2,}y", "(a|a)+c", "(a|aa)+c"])
def test_an_expression_that_matches_in_too_many_ways_is_given_up(
    regex: str, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keep, "MOST_SECONDS", 0.1)
    before = signal.getsignal(signal.SIGVTALRM)
    with pytest.raises(OptionError, match="takes more than 0.1 seconds on one sentence"):
        load(trained).translate("a" * 60, pass_through=regex)
    assert signal.getsignal(signal.SIGVTALRM) == before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


@pytest.mark.parametrize("regex", [r"([A-Z]+-)+\d+", "<[^>]+>", "(ab){2}", "(a+)b", "(a{2,3})+"])
def test_other_repetitions_are_taken(regex: str) -> None:
    keep.compile_keep(regex, True)


def test_weights_that_overflow_every_score_are_refused() -> None:
    with pytest.raises(CalqueError, match="the weight of 'lm' is 1e\\+300, expected at most"):
        Weights({"lm": 1e300})


def test_synonyms_are_set_on_the_command_line(tmp_path: Path, verb: Run) -> None:
    (tmp_path / "h").write_text("a b\n")
    files = ["--hypothesis", tmp_path / "h", "--reference", tmp_path / "h", "--metric", "meteor"]
    line = mistake(verb("score", *files, "--set", f"meteor.synonyms={tmp_path / 'none'}"))
    assert str(tmp_path / "none") in line
    assert done(verb("score", *files, "--set", "meteor.stem=true"))


def test_lines_that_would_take_all_memory_are_one_clear_line(
    tmp_path: Path, trained: Path, verb: Run
) -> None:
    (tmp_path / "h").write_text("a " * 5001 + "\n")
    (tmp_path / "r").write_text("a\n")
    files = ["--hypothesis", tmp_path / "h", "--reference", tmp_path / "r"]
    assert "a sentence of 5,001 words" in mistake(verb("score", *files, "--metric", "meteor"))
    with pytest.raises(CalqueError, match="the sentence has 1,001 words: expected at most 1,000"):
        load(trained).explain("el " * 1001)


def test_packed_arrays_are_refused(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "bomb.npz", zeros=np.zeros(1_000_000))
    with pytest.raises(FileError, match=r"bomb.npz: is packed"):
        read_arrays(tmp_path / "bomb.npz")


def a_part() -> Part:
    return Part(
        sentences=np.array([0, 0, 1]),
        dense=np.zeros((3, 2)),
        row_offsets=np.array([0, 1, 1, 2]),
        columns=np.array([0, 1], np.int32),
        values=np.array([1, 2], np.uint8),
        statistics=np.zeros((3, 4)),
        n_words=np.array([1, 1, 1], np.int32),
        text_data=np.frombuffer(b"abc", np.uint8),
        text_offsets=np.array([0, 1, 2, 3]),
        new_keys=np.array([7, 8], np.uint64),
    )


def test_a_part_of_a_pool_comes_back_and_what_is_none_is_refused(tmp_path: Path) -> None:
    a_part().write(tmp_path / "a.npz")
    arrays = read_arrays(tmp_path / "a.npz")
    assert Part.load(tmp_path / "a.npz").texts[2] == "c"
    changes = [(name, array[:-1]) for name, array in arrays.items() if name != "new_keys"]
    changes += [(name, array.astype(np.float32)) for name, array in arrays.items()]
    changes += [
        ("sentences", np.array([1, 0, 1])),
        ("sentences", np.array([-1, 0, 1])),
        ("columns", np.array([0, -1], np.int32)),
        ("row_offsets", np.array([0, 5, 1, 2])),
        ("text_offsets", np.array([0, 9, 2, 3])),
        ("text_data", np.frombuffer(b"a\xffc", np.uint8)),
    ]
    for name, change in changes:
        write_arrays(tmp_path / "b.npz", {**arrays, name: change})
        with pytest.raises(FileError, match=r"b.npz: not a part of a pool"):
            Part.load(tmp_path / "b.npz")
    del arrays["dense"]
    write_arrays(tmp_path / "b.npz", arrays)
    with pytest.raises(FileError, match=r"b.npz: not a part of a pool"):
        Part.load(tmp_path / "b.npz")


def test_a_full_standard_output_is_named(trained: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "calque", "translate", "-q", "--model", str(trained)]
        result = subprocess.run(
            command, input="el\n", stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode == 2
    assert result.stderr == f"calque: standard output: {os.strerror(errno.ENOSPC)}\n"


def start(command: list[str], tmp_path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "calque", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_every_polite_ending_leaves_nothing_behind(
    corpus: CorpusFiles, tmp_path: Path, ending: signal.Signals
) -> None:
    files = ["--source", str(corpus.train_source), "--target", str(corpus.train_target)]
    (tmp_path / "tmp").mkdir()
    before = signal.signal(ending, signal.SIG_DFL)  # under nohup SIGHUP would be ignored, rightly
    process = start(["train", *files, "--model", str(tmp_path / "m")], tmp_path / "tmp")
    signal.signal(ending, before)
    assert process.stderr is not None
    process.stderr.readline()  # the first step is done: signals are ours
    process.send_signal(ending)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert said.splitlines()[-1] == "calque: interrupted"
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not (tmp_path / "m").exists()


def workers_of(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    process = start(
        ["generate", "--out", str(tmp_path / "g"), "--train", "2000000", "--threads", "2"], tmp_path
    )
    workers: list[int] = []
    until = time.monotonic() + 120
    while len(workers) < 3 and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
        workers = workers_of(process.pid)
    assert len(workers) >= 3  # two and whoever tracks their resources
    process.kill()
    process.communicate(timeout=120)  # the pipes are closed: nobody holds them
    for worker in workers:
        while Path(f"/proc/{worker}").exists():
            assert time.monotonic() < until + 120
            time.sleep(0.05)
