"""Features that Calque adds to lists, each against a slow reference of a few lines."""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from bleu_reference import bleu_plus_one
from conftest import Run, done, mistake
from hypothesis import given
from hypothesis import strategies as st

from calque.config import TextOptions
from calque.data import CorpusFiles
from calque.decode import load
from calque.errors import CalqueError, OptionError
from calque.hyps import NBest, read_nbest, write_nbest
from calque.hyps.added import FAMILIES, Additions, Material, additions_in, parse_additions
from calque.hyps.added.consensus import consensus, posteriors
from calque.hyps.added.language_model import language_model
from calque.hyps.added.lexical import EMPTY_WORD, EXPLAINED, lexical
from calque.hyps.added.support import support
from calque.hyps.added.surface import copies, length, repetition
from calque.hyps.keys import name_keys
from calque.hyps.weights import read_weights
from calque.model import Model
from calque.text import Preprocessor, read_lines
from calque.tune import NBestTask
from calque.tune.freezing import free_features

TEXT = st.lists(st.sampled_from(["a", "b", "c", "7", "."]), max_size=7).map(" ".join)
LISTS = st.lists(st.lists(TEXT, min_size=1, max_size=5), min_size=1, max_size=3)
EVERYTHING = ",".join(name for name, definition in FAMILIES.items() if definition.sparse is None)
SPARSE = ",".join(name for name, definition in FAMILIES.items() if definition.sparse)


def nbest_of(lists: list[list[str]], totals: list[float] | None = None) -> NBest:
    """Lists with one feature that says nothing: a number from a fixed seed."""
    texts = [text for candidates in lists for text in candidates]
    return NBest(
        ("noise",),
        np.repeat(np.arange(len(lists)), [len(candidates) for candidates in lists]).astype(
            np.int64
        ),
        texts,
        np.arange(len(texts) + 1),
        np.zeros(len(texts), np.int32),
        np.random.default_rng(1).normal(size=len(texts)).round(6),
        None if totals is None else np.array(totals),
    )


@pytest.fixture(scope="module")
def model(trained: Path) -> Model:
    return Model.load(trained)


@pytest.fixture(scope="module")
def material(trained: Path, model: Model, corpus: CorpusFiles) -> Material:
    """What our decoder makes of sentences, and candidates that are odd."""
    source = [*list(read_lines(corpus.test_source))[:12], "xyzzy of nothing", ""]
    found = load(trained).n_best(source[:-1], 6)
    lists = [[translation.text for translation in some] for some in found]
    lists[0] += ["", "xyzzy plugh", lists[1][0]]
    return Material(nbest_of([*lists, ["", "word word"]]), source, model)


def rows(material: Material) -> list[tuple[list[str], list[str]]]:
    """Source and words of every candidate."""
    assert material.source is not None
    pairs = zip(material.nbest.sentences.tolist(), material.nbest.texts, strict=True)
    return [(material.source[sentence].split(), text.split()) for sentence, text in pairs]


def test_the_language_model_scores_words_as_they_stand(material: Material, model: Model) -> None:
    found = language_model(material)
    for at, (_, words) in enumerate(rows(material)):
        assert found["language_model"][at] == pytest.approx(model.lm.score(" ".join(words)))
        assert found["lm_unknown"][at] == sum(word not in model.lm.vocabulary for word in words)
    assert found["lm_unknown"].any()


def word_pairs(model: Model) -> dict[tuple[str, str], tuple[float, float]]:
    """p(s|t) and p(t|s) of every block of one word on both sides."""
    table, found = model.blocks, {}
    for index in range(table.n_sources):
        for block in table.blocks(index):
            if len(table.source(index)) == len(table.target(block)) == 1:
                source = model.source_vocabulary.decode(table.source(index))
                target = model.target_vocabulary.decode(table.target(block))
                scores = table.scores[block].tolist()
                found[source, target] = math.exp(scores[1]), math.exp(scores[3])
    return found


def test_words_explain_each_other_as_in_model_1(material: Material, model: Model) -> None:
    pairs, found = word_pairs(model), lexical(material)

    def p(source: str, target: str) -> tuple[float, float]:
        unknown = source not in model.source_vocabulary or target not in model.target_vocabulary
        if source == target and unknown:
            return 1.0, 1.0
        return pairs.get((source, target), (0.0, 0.0))

    for at, (source, target) in enumerate(rows(material)):
        back = [[p(s, t)[0] for t in target] for s in source]
        forth = [[p(s, t)[1] for s in source] for t in target]
        for name, table, others in (
            ("source_given_target", back, len(target)),
            ("target_given_source", forth, len(source)),
        ):
            expected = sum(math.log((EMPTY_WORD + sum(row)) / (others + 1)) for row in table)
            assert found[name][at] == pytest.approx(expected), name
        for name, table in (("unexplained_source", back), ("unexplained_target", forth)):
            lacking = sum(all(value < EXPLAINED for value in row) for row in table)
            assert found[name][at] == lacking, name
    copied = [target for _, target in rows(material)].index(["xyzzy", "plugh"])
    assert found["unexplained_target"][copied] == 2, "its source has no such words"


def test_blocks_of_the_source_support_the_ngrams_they_make(
    material: Material, model: Model
) -> None:
    table, found = model.blocks, support(material)
    for at, (source, target) in enumerate(rows(material)):
        ids = [model.source_vocabulary.id(word) for word in source]
        spans = [ids[i:j] for i in range(len(ids)) for j in range(i + 1, len(ids) + 1)]
        phrases = [phrase for phrase in map(table.find, spans) if phrase >= 0]
        made = {
            tuple(model.target_vocabulary.decode(table.target(block)).split())
            for phrase in phrases
            for block in table.blocks(phrase)
        }
        for n in range(1, 5):
            ngrams = [tuple(target[i : i + n]) for i in range(len(target) - n + 1)]
            assert found[f"support_{n}"][at] == sum(ngram in made for ngram in ngrams)


@given(lists=LISTS, scale=st.sampled_from([0.0, 1.0, 3.5]), seed=st.integers(0, 99))
def test_consensus_is_the_expected_bleu_within_the_list(
    lists: list[list[str]], scale: float, seed: int
) -> None:
    flat = [text for candidates in lists for text in candidates]
    totals = np.random.default_rng(seed).normal(size=len(flat))
    material = Material(nbest_of(lists, totals.tolist()))
    found = consensus(material, scale)["consensus"]
    at = 0
    for candidates in lists:
        powers = [math.exp(scale * total) for total in totals[at : at + len(candidates)]]
        for text in candidates:
            row = [bleu_plus_one(text.split(), other.split()) for other in candidates]
            expected = sum(p * gain for p, gain in zip(powers, row, strict=True)) / sum(powers)
            assert found[at] == pytest.approx(expected)
            at += 1


def test_candidates_are_equally_likely_where_lists_tell_no_totals() -> None:
    lists = nbest_of([["a"] * 2, ["b"] * 4], None)
    assert posteriors(lists, 2.0).tolist() == [0.5] * 2 + [0.25] * 4


@given(lists=LISTS, data=st.data())
def test_what_a_candidate_looks_like_is_counted(
    lists: list[list[str]], data: st.DataObject
) -> None:
    source = data.draw(st.lists(TEXT, min_size=len(lists), max_size=len(lists)))
    material = Material(nbest_of(lists), source)
    found = {**length(material), **repetition(material), **copies(material)}
    for at, (candidate, words) in enumerate(rows(material)):
        bigrams = list(pairwise(words))
        expected = {
            "words": len(words),
            "length_ratio": abs(math.log((len(words) + 1) / (len(candidate) + 1))),
            "doubled_words": sum(a == b for a, b in bigrams),
            "repeated_bigrams": len(bigrams) - len(set(bigrams)),
            "copies": sum(word in candidate and word.isalpha() for word in words),
        }
        assert {name: found[name][at] for name in expected} == pytest.approx(expected)


def test_a_model_of_small_letters_knows_words_in_capitals(material: Material, model: Model) -> None:
    small = replace(model, preprocessor=Preprocessor(TextOptions(casing="lower")))
    loud = [text.upper() for text in material.nbest.texts]
    shouted = Material(replace(material.nbest, texts=loud), material.source, small)
    quiet = Material(material.nbest, material.source, small)
    for family in (language_model, support):
        for name, values in family(quiet).items():
            assert family(shouted)[name].tolist() == values.tolist()


def test_words_are_cased_and_classed_but_not_tokenised() -> None:
    options = TextOptions(casing="lower", class_numbers=True)
    text = Preprocessor(options).target_words_as_trained("It's 1,234 Euros.\n")
    assert text.split()[0] == "it's"
    assert text.split()[2] == "euros."
    assert len(text.split()) == 3


def test_every_family_gives_the_features_that_it_lists(material: Material) -> None:
    for addition in parse_additions(EVERYTHING):
        added = addition.given_to(material.nbest, material)
        assert added.names == (*material.nbest.names, *addition.features)
        assert np.isfinite(added.matrix(addition.features)).all()


def counted(material: Material, family: str) -> list[Counter[str]]:
    """The added sparse features of every candidate, without what their names begin with."""
    [addition] = parse_additions(family)
    added = addition.given_to(material.nbest, material)
    assert added.names[0] == "noise"
    found = []
    for row in range(len(added)):
        entries = slice(added.row_offsets[row], added.row_offsets[row + 1])
        first, *names = [added.names[column] for column in added.columns[entries]]
        assert first == "noise", "own features stay where they are"
        assert all(name.startswith(f"calque:{family}:") for name in names)
        values = added.values[entries][1:].tolist()
        found.append(Counter(dict(zip([n.split(":", 2)[2] for n in names], values, strict=True))))
    return found


def test_words_and_their_neighbours_are_counted(material: Material) -> None:
    candidates = [words for _, words in rows(material)]
    assert counted(material, "words") == [Counter(words) for words in candidates]
    expected = [
        Counter("|".join(pair) for pair in pairwise(["", *words, ""])) for words in candidates
    ]
    assert counted(material, "bigrams") == expected
    assert Counter({"|": 1}) in expected, "an empty candidate"


def test_a_word_is_paired_with_the_source_word_that_explains_it_best(
    material: Material, model: Model
) -> None:
    table, n_partners = word_pairs(model), 0
    for (source, words), found in zip(rows(material), counted(material, "pairs"), strict=True):
        expected: Counter[str] = Counter()
        for word in words:
            best, partner = EXPLAINED, ""
            for other in source:
                prob = table.get((other, word), (0.0, 0.0))[1]
                if other not in model.source_vocabulary or word not in model.target_vocabulary:
                    prob = float(word == other)
                if prob > best or (prob == best and not partner):
                    best, partner = prob, other
            expected[f"{partner}|{word}"] += 1
            n_partners += partner != ""
        assert found == expected
    assert n_partners > 50
    assert any("|xyzzy" in found for found in counted(material, "pairs"))


@given(st.text(alphabet="ab%|:=#_", min_size=1, max_size=2))
def test_names_of_words_survive_in_files(word: str) -> None:
    nbest = nbest_of([[f"{word} b", "b"]])
    added = Additions(parse_additions("words,bigrams")).to(nbest, "lists")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists"
        write_nbest(path, added)
        again = read_nbest(path)
        assert sorted(again.names) == sorted(added.names)
        assert (again.matrix(added.names) == added.matrix(added.names)).all()
        weights = dict.fromkeys(added.names, 1.0)
        (Path(folder) / "w").write_text("".join(f"{name} 1\n" for name in weights))
        assert read_weights(Path(folder) / "w") == weights
    assert len(set(added.names)) == len(added.names)


def test_the_names_of_features_tell_what_to_add() -> None:
    wanted = parse_additions("consensus:2.5, language_model,consensus")
    names = ["LM0", *(name for addition in wanted for name in addition.features)]
    assert names[1] == "calque.consensus:2.5"
    assert set(additions_in(names)) == set(wanted)
    assert str(Additions(parse_additions("consensus:2.5,repetition"))) == "consensus:2.5,repetition"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("lm", "--add lm: expected some of language_model, lexical"),
        ("", "expected some of language_model"),
        ("copies,copies", "'copies' is given twice"),
        ("copies:2", "only consensus takes a number"),
        ("consensus:x", "expected a number of at least 0"),
        ("consensus:-1", "expected a number of at least 0"),
    ],
)
def test_what_cannot_be_added_is_named(names: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_additions(names)


def test_a_feature_of_another_version_is_named() -> None:
    with pytest.raises(CalqueError, match=r"'calque\.magic' is no feature that Calque can add"):
        additions_in(["calque.magic"])


@pytest.fixture(scope="module")
def files(
    trained: Path, corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, Path]:
    """Shuffled lists of our decoder without its features; their source; their references."""
    folder = tmp_path_factory.mktemp("lists")
    source = list(read_lines(corpus.test_source))
    found = load(trained).n_best(source, 15, least_agreement=1.0)
    rng = np.random.default_rng(5)
    lists = [rng.permutation([translation.text for translation in some]).tolist() for some in found]
    write_nbest(folder / "nbest", nbest_of(lists))
    return folder / "nbest", corpus.test_source, corpus.test_references[0]


def test_lists_without_useful_features_gain_from_added_ones(
    verb: Run, files: tuple[Path, Path, Path], trained: Path, tmp_path: Path
) -> None:
    nbest, source, reference = files
    tune = ["tune", "--nbest", nbest, "--reference", reference, "--method", "mert"]
    tune += ["--set", "restarts=2", "--json", "--quiet"]
    with_model = ["--model", trained, "--source", source]
    plain = json.loads(done(verb(*tune, "--weights", tmp_path / "plain")))
    rich = ["--weights", tmp_path / "rich", "--add", EVERYTHING, "--nbest-output", tmp_path / "n"]
    enriched = json.loads(done(verb(*tune, *with_model, *rich)))
    assert enriched["score"] > plain["score"] + 3
    assert read_nbest(tmp_path / "n").names == tuple(read_weights(tmp_path / "rich"))

    rerank = ["rerank", "--weights", tmp_path / "rich", "--quiet"]
    best = done(verb(*rerank, "--nbest", nbest, *with_model))
    assert done(verb(*rerank, "--nbest", tmp_path / "n")) == best
    message = mistake(verb(*rerank, "--nbest", nbest))
    assert message.startswith("--model DIR and --source F expected, to compute calque.language_")
    assert "calque.copies" in message


def test_sparse_features_are_learned_and_computed_again(
    verb: Run, files: tuple[Path, Path, Path], trained: Path, tmp_path: Path
) -> None:
    nbest, source, reference = files
    learn = ["--method", "xbleu", "--set", "rounds=1", "--quiet", "--json"]
    tune = ["tune", "--nbest", nbest, "--reference", reference, *learn]
    with_model = ["--model", trained, "--source", source]
    rich = ["--add", f"language_model,{SPARSE}", "--nbest-output", tmp_path / "n"]
    found = json.loads(done(verb(*tune, *with_model, *rich, "--weights", tmp_path / "w")))
    weights = read_weights(tmp_path / "w")
    dense = {"noise", "calque.language_model", "calque.lm_unknown"}
    families = {name.split(":")[1] for name in weights if name not in dense}
    assert families == {"words", "bigrams", "pairs"}
    assert found["history"][1]["scores"]["expected"] > found["history"][0]["scores"]["expected"]
    frequent = read_nbest(tmp_path / "n")
    assert max(frequent.n_with[3:]) > 0.5 * len(frequent), "sparse for all that"
    assert frequent.dense_names() == ("noise", "calque.language_model", "calque.lm_unknown")

    rerank = ["rerank", "--weights", tmp_path / "w", "--quiet"]
    best = done(verb(*rerank, "--nbest", nbest, *with_model))
    assert done(verb(*rerank, "--nbest", tmp_path / "n")) == best
    # Other lists have other words: weights without a feature, and features without a weight.
    few = read_nbest(nbest).sliced(0, 15)
    write_nbest(tmp_path / "few", few)
    (tmp_path / "line").write_text(source.read_text().splitlines()[0] + "\n")
    model = ["--model", trained, "--source", tmp_path / "line"]
    assert done(verb(*rerank, "--nbest", tmp_path / "few", *model)) == best.splitlines()[0] + "\n"
    message = mistake(verb(*rerank, "--nbest", nbest))
    assert message == "--model DIR and --source F expected, to compute" + (
        " calque.language_model, calque.lm_unknown, pairs"
    )


def test_sparse_features_are_frozen_by_family(files: tuple[Path, Path, Path]) -> None:
    nbest, _, reference = files
    source = NBestTask(
        nbest, [reference], additions=Additions(parse_additions("words,bigrams,repetition"))
    ).source
    names = [name for name in source.nbest.names if name not in source.dense_names]
    keys = name_keys(names)
    free = free_features("words,dense", source, keys)
    assert free.tolist() == [False] * 3 + [name.startswith("calque:bigrams:") for name in names]
    with pytest.raises(OptionError, match="fixed=pairs: no such feature or family"):
        free_features("pairs", source, keys)


def test_methods_of_few_features_refuse_sparse_ones(
    verb: Run, files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    nbest, _, reference = files
    tune = ["tune", "--nbest", nbest, "--reference", reference, "--method", "mert", "--quiet"]
    message = mistake(verb(*tune, "--weights", tmp_path / "w", "--add", "words"))
    assert "mert tunes dense features only" in message
    assert "calque:words:" in message


def test_a_model_alone_adds_the_usual_features(
    verb: Run, files: tuple[Path, Path, Path], trained: Path, tmp_path: Path
) -> None:
    nbest, source, reference = files
    done(
        verb(
            *("tune", "--nbest", nbest, "--reference", reference, "--method", "pro"),
            *("--model", trained, "--weights", tmp_path / "w", "--set", "rounds=1"),
            *(["--source", source] if needs_source() else []),
        )
    )
    assert "calque.language_model" in read_weights(tmp_path / "w")


def needs_source() -> bool:
    from calque.hyps.added import DEFAULT

    return any(FAMILIES[name].source for name in DEFAULT)


@pytest.mark.parametrize(
    "unneeded", [["--source", "none"], ["--add", "repetition", "--model", "none"]]
)
def test_files_that_no_feature_needs_are_not_read(
    verb: Run, files: tuple[Path, Path, Path], tmp_path: Path, unneeded: list[str]
) -> None:
    nbest, _, reference = files
    lists = ["--nbest", nbest, "--reference", reference, "--method", "mira"]
    result = verb("tune", *lists, "--set", "rounds=1", "--weights", tmp_path / "w", *unneeded)
    assert result.returncode in (0, 3), result.stderr
    assert (tmp_path / "w").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--add", "lexical"], "--model DIR and --source F expected, to compute calque.source_g"),
        (["--add", "copies"], "--source F expected, to compute calque.copies"),
        (["--add", "copies", "--source", "short"], "short: the source has 1 lines, but there are"),
        (["--add", "language_model", "--model", "none"], "none"),
    ],
)
def test_mistakes_are_one_clear_line(
    verb: Run,
    files: tuple[Path, Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short").write_text("one line\n")
    nbest, _, reference = files
    tune = ["tune", "--nbest", nbest, "--reference", reference, "--method", "mert", "--quiet"]
    assert message in mistake(verb(*tune, "--weights", "w", *arguments))


def test_a_feature_that_is_there_is_not_added_again(
    verb: Run, files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    nbest, _, reference = files
    added = Additions(parse_additions("repetition")).to(read_nbest(nbest), nbest)
    write_nbest(tmp_path / "n", added)
    tune = ["tune", "--nbest", tmp_path / "n", "--reference", reference, "--method", "mert"]
    message = mistake(verb(*tune, "--weights", tmp_path / "w", "--add", "repetition", "--quiet"))
    assert "has the feature 'calque.doubled_words' already" in message
