"""`calque align` and `calque lexicon`: word links and word translations for users."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, done, mistake

from calque.align import Alignments
from calque.align.gold import read_gold, score_links
from calque.align.word_pairs import WordPairs
from calque.data import generate_aligned
from calque.errors import CalqueError
from calque.model import Model
from calque.text import Sentences, read_lines, write_lines


def test_scores_are_those_worked_out_by_hand(tmp_path: Path) -> None:
    sides = Sentences.from_lists([[0, 0, 0], [0, 0]]), Sentences.from_lists([[0, 0], [0, 0, 0]])
    write_lines(tmp_path / "gold", ["0-0 1?1 2p0", "0-1 1-2"])
    gold = read_gold(tmp_path / "gold", *sides)
    found = Alignments.from_lists([[(0, 0), (1, 1), (2, 1)], [(0, 1)]])
    scores = score_links(found, gold)
    # A = 4 links, of which 2 are sure and 3 possible; S = 3, P = 5.
    assert (scores.n_links, scores.n_sure, scores.n_possible) == (4, 3, 5)
    assert scores.precision == 3 / 4
    assert scores.recall == 2 / 3
    assert scores.aer == pytest.approx(1 - (2 + 3) / (4 + 3))
    perfect = score_links(Alignments.from_lists([[(0, 0)], [(0, 1), (1, 2)]]), gold)
    assert (perfect.precision, perfect.recall, perfect.aer) == (1, 1, 0)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["0-0"], "has 1 lines of links, expected 2"),
        (["0-0", "0:0"], "line 2: '0:0': expected a link such as 0-1 or 0\\?1"),
        (["0-0 1-2", ""], "line 1: '1-2' is outside of its sentence pair of 2 and 2 words"),
    ],
)
def test_gold_links_that_do_not_fit_are_refused(
    tmp_path: Path, lines: list[str], message: str
) -> None:
    sides = Sentences.from_lists([[0, 0], [0]]), Sentences.from_lists([[0, 0], [0]])
    write_lines(tmp_path / "gold", lines)
    with pytest.raises(CalqueError, match=message):
        read_gold(tmp_path / "gold", *sides)


@pytest.fixture
def linked(tmp_path: Path) -> list[Path]:
    """Sentence pairs that no model has seen, and their true links."""
    examples = list(generate_aligned("near", "test", 60, 7))
    paths = [tmp_path / name for name in ("source", "target", "gold")]
    write_lines(paths[0], [example.source for example in examples])
    write_lines(paths[1], [example.targets[0] for example in examples])
    links = [" ".join(f"{s}-{t}" for s, t in example.links) for example in examples]
    write_lines(paths[2], links)
    return paths


def test_new_text_is_aligned_better_with_the_text_of_a_model(
    verb: Run, trained: Path, linked: list[Path], tmp_path: Path
) -> None:
    source, target, gold = linked
    files = ["align", "--source", source, "--target", target, "--gold", gold, "--json"]
    out = tmp_path / "links"
    alone = json.loads(done(verb(*files, "--output", out)))
    links = out.read_text()
    assert links.count("\n") == 60
    both = json.loads(done(verb(*files, "--output", out, "--model", trained)))
    assert both["aer"] < alone["aer"] - 0.05
    assert both["aer"] < 0.3
    again = score_links(
        Alignments.from_lists(
            [
                [(int(s), int(t)) for s, t in (link.split("-") for link in line.split())]
                for line in read_lines(out)
            ]
        ),
        read_gold(gold, *(words_of(path) for path in (source, target))),
    )
    assert again.aer == pytest.approx(both["aer"])
    told = done(verb(*files[:-1], "--output", out, "--model", trained))
    assert f"alignment error rate {100 * both['aer']:.1f} %" in told
    strict = ["--symmetrization", "intersection"]
    sure = json.loads(done(verb(*files, "--output", out, "--model", trained, *strict)))
    assert sure["precision"] > both["precision"]
    assert sure["n_links"] < both["n_links"]


def words_of(path: Path) -> Sentences:
    return Sentences.from_lists([range(len(line.split())) for line in read_lines(path)])


def test_every_line_has_its_line_of_links(verb: Run, tmp_path: Path) -> None:
    write_lines(tmp_path / "a", ["x y", "", "x", "y z"])
    write_lines(tmp_path / "b", ["1 2", "3", "", "2 3"])
    told = done(verb("align", "--source", tmp_path / "a", "--target", tmp_path / "b", "-q"))
    lines = told.split("\n")
    assert len(lines) == 5
    assert lines[1] == lines[2] == lines[4] == ""
    assert lines[0]


def test_the_links_of_a_model_are_those_it_keeps(verb: Run, trained: Path) -> None:
    kept = Model.load(trained).bitext
    assert kept is not None
    lines = done(verb("align", "--model", trained, "-q")).splitlines()
    assert lines == [" ".join(f"{s}-{t}" for s, t in links) for links in kept.alignments]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give --source F and --target F, --model DIR, or all three"),
        (["--source", "a"], "--source F and --target F go together"),
        (["--model", "m", "--gold", "g"], "--gold F is about new text"),
        (["--model", "m", "--alpha", "1"], "the links of a model are there already"),
        (["--source", "a", "--target", "b", "--json"], "--json is about scores"),
        (["--source", "a", "--target", "b", "--symmetrization", "onion"], "did you mean 'union'"),
    ],
)
def test_mistakes_of_align_are_one_clear_line(
    verb: Run, arguments: list[str], message: str
) -> None:
    assert message in mistake(verb("align", *arguments))


def slow_table(model: Path) -> dict[tuple[int, int], tuple[float, float, int]]:
    """p(t|s), p(s|t) and N(s,t) of all linked words, counted one by one."""
    kept = Model.load(model).bitext
    assert kept is not None
    pairs: Counter[tuple[int, int]] = Counter()
    of_source: Counter[int] = Counter()
    of_target: Counter[int] = Counter()
    for source, target, links in zip(kept.source, kept.target, kept.alignments, strict=True):
        for s, t in links.tolist():
            pairs[int(source[s]), int(target[t])] += 1
            of_source[int(source[s])] += 1
            of_target[int(target[t])] += 1
        for s in set(range(len(source))) - set(links[:, 0].tolist()):
            of_source[int(source[s])] += 1
        for t in set(range(len(target))) - set(links[:, 1].tolist()):
            of_target[int(target[t])] += 1
    return {(s, t): (n / of_source[s], n / of_target[t], n) for (s, t), n in pairs.items()}


def test_the_lexicon_agrees_with_counting_one_by_one(verb: Run, trained: Path) -> None:
    model = Model.load(trained)
    slow = slow_table(trained)
    head, *rows = done(verb("lexicon", "--model", trained, "-q")).splitlines()
    assert head.split("\t")[:2] == ["source", "target"]
    assert len(rows) == len(slow)
    last: dict[str, float] = {}
    for row in rows:
        source, target, forward, reverse, count = row.split("\t")
        wanted = slow[model.source_vocabulary.id(source), model.target_vocabulary.id(target)]
        assert (float(forward), float(reverse), int(count)) == pytest.approx(wanted, rel=1e-5)
        assert float(forward) <= last.get(source, 1.0) + 1e-9, "the best translation first"
        last[source] = float(forward)


@pytest.mark.parametrize("given", ["source", "target"])
def test_the_lexicon_is_pruned_by_probability_number_and_mass(
    verb: Run, trained: Path, given: str
) -> None:
    model = Model.load(trained)
    side = 0 if given == "source" else 1
    by_word: dict[int, list[tuple[float, int, int]]] = {}
    for pair, values in slow_table(trained).items():
        by_word.setdefault(pair[side], []).append((-values[side], pair[1 - side], values[2]))
    words = model.source_vocabulary, model.target_vocabulary

    def expected(min_prob: float, min_count: int, most: int, mass: float) -> set[tuple[str, str]]:
        kept = set()
        for word, row in by_word.items():
            row.sort()
            total, reached = -sum(prob for prob, _, _ in row), 0.0
            for rank, (negative, other, count) in enumerate(row):
                fits = -negative >= min_prob and count >= min_count and rank < most
                if fits and (rank == 0 or reached < mass * total * (1 - 1e-9)):
                    pair = (word, other) if side == 0 else (other, word)
                    kept.add((words[0].word(pair[0]), words[1].word(pair[1])))
                reached -= negative
        return kept

    call = ["lexicon", "--model", trained, "--given", given, "-q"]
    for flags, limits in (
        (["--min-prob", "0.2"], (0.2, 1, 10**9, 1.0)),
        (["--most", "2", "--min-count", "3"], (0.0, 3, 2, 1.0)),
        (["--mass", "0.6"], (0.0, 1, 10**9, 0.6)),
    ):
        rows = [line.split("\t")[:2] for line in done(verb(*call, *flags)).splitlines()[1:]]
        assert {(s, t) for s, t in rows} == expected(*limits)
        assert len(rows) > 20


def test_translations_of_a_word_are_json_lines(verb: Run, trained: Path, tmp_path: Path) -> None:
    model = Model.load(trained)
    word = model.target_vocabulary.word(5)
    call = ["lexicon", "--model", trained, "--given", "target", "--word", word, "--json"]
    done(verb(*call, "--output", tmp_path / "out"))
    [row] = [json.loads(line) for line in read_lines(tmp_path / "out")]
    assert row["target"] == word
    slow = slow_table(trained)
    for translation in row["translations"]:
        wanted = slow[model.source_vocabulary.id(translation["source"]), 5]
        assert (
            translation["reverse_prob"],
            translation["prob"],
            translation["count"],
        ) == pytest.approx(wanted)
    assert "knows no target word 'xyzzy'" in mistake(verb(*call, "--word", "xyzzy"))


def test_several_sets_of_links_count_together() -> None:
    source, target = Sentences.from_lists([[3, 4]]), Sentences.from_lists([[5, 6]])
    links = Alignments.from_lists([[(0, 0), (1, 1)], [(0, 0), (0, 1)]])
    pairs = WordPairs.counted(source, target, links)
    rows = zip(pairs.source.tolist(), pairs.target.tolist(), pairs.counts.tolist(), strict=True)
    assert list(rows) == [(3, 5, 2), (3, 6, 1), (4, 6, 1)]
    assert pairs.given_source.tolist() == pytest.approx([2 / 3, 1 / 3, 1 / 2])
    assert np.allclose(pairs.given_target, [1, 1 / 2, 1 / 2])
