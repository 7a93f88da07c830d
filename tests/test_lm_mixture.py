"""Language models put together and made smaller, against slow references and enumeration."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, done, mistake
from scipy.optimize import minimize_scalar

from calque.config import LmOptions
from calque.data import CorpusFiles
from calque.errors import CalqueError
from calque.lm import (
    LanguageModel,
    estimate,
    interpolated,
    mixture_weights,
    perplexity,
    pruned,
    read_arpa,
    write_arpa,
)
from calque.lm.lists import NgramLists
from calque.lm.pruning import START
from calque.model import Model, ModelFolder
from calque.text import CorpusEncoder, Sentences, Vocabulary, read_lines, write_lines

LETTERS = "abcdefg"


def random_text(seed: int, letters: str, n: int = 60) -> list[str]:
    rng = np.random.default_rng(seed)
    odds = rng.dirichlet(np.ones(len(letters)), len(letters))
    lines = []
    for _ in range(n):
        at = int(rng.integers(len(letters)))
        words = []
        for _ in range(int(rng.integers(1, 9))):
            words.append(letters[at])
            at = int(rng.choice(len(letters), p=odds[at]))
        lines.append(" ".join(words))
    return lines


def encode(lines: list[str]) -> tuple[Vocabulary, Sentences]:
    encoder = CorpusEncoder()
    encoder.feed("".join(line + "\n" for line in lines))
    return encoder.finish()


def model_of(lines: list[str], order: int = 3, words: Vocabulary | None = None) -> LanguageModel:
    own, sentences = encode(lines)
    if words is None:
        return estimate(sentences, own, LmOptions(order=order))
    ids = np.array([words.id(word) for word in own], np.int32)
    return estimate(Sentences(ids[sentences.ids], sentences.offsets), words, LmOptions(order=order))


def prob(model: LanguageModel, history: list[str], word: str) -> float:
    """p(word | history) by the model's own states, a word at a time."""
    state = model.core.begin() if history[:1] == ["<s>"] else model.core.empty()
    for earlier in history[1:] if history[:1] == ["<s>"] else history:
        _, state = model.core.score(state, model.vocabulary.id(earlier))
    id = 2 if word == "</s>" else model.vocabulary.id(word)
    return math.exp(model.core.score(state, id)[0])


def histories(n: int) -> list[list[str]]:
    some = [list(words) for k in range(n + 1) for words in itertools.product(LETTERS, repeat=k)]
    return [*some, *(["<s>", *words] for words in some)]


@pytest.fixture(scope="module")
def parts() -> list[LanguageModel]:
    """Of one vocabulary, in which everything adds up to 1."""
    words = Vocabulary(list(LETTERS))
    texts = random_text(1, LETTERS), random_text(2, LETTERS[:5]), random_text(3, LETTERS[3:], 30)
    return [model_of(text, order, words) for text, order in zip(texts, (3, 4, 2), strict=True)]


def test_entries_are_those_of_an_arpa_file(parts: list[LanguageModel], tmp_path: Path) -> None:
    write_arpa(parts[0], tmp_path / "lm")
    lists, words = NgramLists.of(parts[0]), list(parts[0].vocabulary)
    rows = [line.split("\t") for line in read_lines(tmp_path / "lm") if "\t" in line]
    by_text = {row[1]: float(row[0]) * math.log(10) for row in rows}
    found = {words[id]: lists.log_probs[0][id] for id in range(len(words))}
    names: list[list[str]] = [[word] for word in words]
    for at, list_ in enumerate(lists.ngrams):
        names = [[*names[context], words[word]] for context, word in list_.tolist()]
        found |= dict(zip(map(" ".join, names), lists.log_probs[at + 1].tolist(), strict=True))
    assert found == pytest.approx(by_text, abs=1e-5)


def test_the_ends_of_ngrams_are_found(parts: list[LanguageModel]) -> None:
    lists = NgramLists.of(parts[1])
    texts: list[list[tuple[int, ...]]] = [[(id,) for id in range(len(lists.vocabulary))]]
    for rows in lists.ngrams:
        texts.append([(*texts[-1][context], word) for context, word in rows.tolist()])
    for n, ends in enumerate(lists.ends, 1):
        assert [texts[n - 1][end] for end in ends.tolist()] == [row[1:] for row in texts[n]]


def test_a_mixture_gives_every_listed_ngram_the_mean_of_the_models(
    parts: list[LanguageModel],
) -> None:
    weights = [0.5, 0.3, 0.2]
    mixed = interpolated(parts, weights)
    assert mixed.order == 4
    lists, words = NgramLists.of(mixed), list(mixed.vocabulary)
    texts = [[word] for word in words]
    n_seen = 0
    for at, rows in enumerate(lists.ngrams):
        texts = [[*texts[context], words[word]] for context, word in rows.tolist()]
        for row, log_prob in zip(texts, lists.log_probs[at + 1].tolist(), strict=True):
            own = [prob(model, row[:-1], row[-1]) for model in parts]
            wanted = sum(weight * p for weight, p in zip(weights, own, strict=True))
            assert math.exp(log_prob) == pytest.approx(wanted, rel=1e-4), row
            assert prob(mixed, row[:-1], row[-1]) == pytest.approx(wanted, rel=1e-4), row
            n_seen += 1
    assert n_seen > 200


def test_a_mixture_and_what_is_left_of_it_add_up_to_one(parts: list[LanguageModel]) -> None:
    mixed = interpolated(parts, [0.5, 0.3, 0.2])
    for model in (mixed, pruned(mixed, 1e-3), pruned(mixed, 0.05)):
        for history in histories(3):
            total = sum(prob(model, history, word) for word in (*LETTERS, "</s>", "<unk>"))
            assert total == pytest.approx(1, abs=1e-4), history


def test_one_model_alone_comes_out_as_it_went_in(parts: list[LanguageModel]) -> None:
    again = interpolated([parts[1], parts[0]], [1.0, 0.0])
    for history in histories(2):
        for word in (*LETTERS, "</s>"):
            assert prob(again, history, word) == pytest.approx(
                prob(parts[1], history, word), rel=1e-3
            )


def test_words_of_one_model_are_unknown_to_the_others() -> None:
    first, second = model_of(random_text(4, "abcd")), model_of(random_text(5, "cdef"))
    mixed = interpolated([first, second], [0.25, 0.75])
    assert sorted(mixed.vocabulary) == sorted(["<unk>", "<s>", "</s>", *"abcdef"])
    wanted = 0.25 * prob(first, [], "<unk>") + 0.75 * prob(second, [], "f")
    assert prob(mixed, [], "f") == pytest.approx(wanted, rel=1e-5)


def test_em_finds_the_weights_that_a_search_finds(parts: list[LanguageModel]) -> None:
    text = random_text(1, LETTERS, 200)[60:] + random_text(2, LETTERS[:5], 150)[60:]
    own, sentences = encode(text)
    first, second = parts[:2]

    def log_prob(share: float) -> float:
        total = 0.0
        for line in text:
            words = ["<s>", *line.split(), "</s>"]
            for at in range(1, len(words)):
                pair = [prob(model, words[:at], words[at]) for model in (first, second)]
                total -= math.log(share * pair[0] + (1 - share) * pair[1])
        return total

    best = minimize_scalar(log_prob, bounds=(0.001, 0.999), method="bounded").x
    weights = mixture_weights([first, second], sentences, own)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == pytest.approx(best, abs=0.01)
    assert 0.2 < best < 0.8, "both count"


def test_pruning_drops_what_raises_perplexity_by_less(parts: list[LanguageModel]) -> None:
    """The loss of each trigram, by enumeration of all words after its context."""
    model, threshold = parts[0], 2e-3
    lists, words = NgramLists.of(model), list(model.vocabulary)
    bigrams = [(words[a], words[b]) for a, b in lists.ngrams[0].tolist()]
    trigrams = [(*bigrams[context], words[word]) for context, word in lists.ngrams[1].tolist()]
    vocabulary = (*LETTERS, "</s>", "<unk>")
    unigram = {word: prob(model, [], word) for word in vocabulary}
    unigram["<s>"] = unigram["</s>"]
    expected = set()
    for row in trigrams:
        context = list(row[:-1])
        listed = [other[2] for other in trigrams if other[:2] == tuple(context) and other != row]
        before = {word: prob(model, context, word) for word in vocabulary}
        below = {word: prob(model, context[1:], word) for word in vocabulary}
        rest = 1 - sum(before[word] for word in listed)
        factor = rest / (1 - sum(below[word] for word in listed))
        after = {w: before[w] if w in listed else factor * below[w] for w in vocabulary}
        assert sum(after.values()) == pytest.approx(1, abs=1e-4)
        divergence = sum(before[w] * math.log(before[w] / after[w]) for w in vocabulary)
        share = unigram[context[0]] * prob(model, context[:1], context[1])
        if context[0] == "<s>":
            share = unigram["</s>"] * prob(model, ["<s>"], context[1])
        if math.exp(share * divergence) - 1 >= threshold:
            expected.add(row)
    assert 10 < len(expected) < len(trigrams) - 10
    smaller = NgramLists.of(pruned(model, threshold))
    pairs = [(words[a], words[b]) for a, b in smaller.ngrams[0].tolist()]
    found = {(*pairs[context], words[word]) for context, word in smaller.ngrams[1].tolist()}
    assert found == expected
    assert words.index("<s>") == START


def test_more_pruning_leaves_fewer_ngrams_and_a_higher_perplexity(
    parts: list[LanguageModel],
) -> None:
    _, sentences = encode(random_text(1, LETTERS))
    own = encode(random_text(1, LETTERS))[0]
    ids = np.array([parts[0].vocabulary.id(word) for word in own], np.int32)
    text = Sentences(ids[sentences.ids], sentences.offsets)
    sizes, values = [], []
    for threshold in (0.0, 1e-3, 1e-2, 1e-1, 10.0):
        model = pruned(parts[0], threshold)
        sizes.append(sum(model.n_ngrams))
        values.append(perplexity(model, text).value)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0] / 2
    assert values[0] == min(values)
    assert values[-1] == max(values)
    with pytest.raises(CalqueError, match="prune=-1: expected a number of at least 0"):
        pruned(parts[0], -1)


def test_a_pruned_model_survives_its_arpa_file(parts: list[LanguageModel], tmp_path: Path) -> None:
    model = pruned(parts[1], 1e-3)
    write_arpa(model, tmp_path / "lm")
    again = read_arpa(tmp_path / "lm")
    assert again.n_ngrams == model.n_ngrams
    for line in random_text(9, LETTERS, 20):
        assert again.score(line) == pytest.approx(model.score(line), abs=1e-4)


def test_more_text_makes_a_better_language_model(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    target = list(read_lines(corpus.train_target))
    files = [tmp_path / name for name in ("source", "target", "more", "noise")]
    write_lines(files[0], list(read_lines(corpus.train_source))[:100])
    write_lines(files[1], target[:100])
    write_lines(files[2], target[100:])
    write_lines(files[3], [" ".join(reversed(line.split())) for line in target[:80]])
    call = ["train", "--source", files[0], "--target", files[1], "--preset", "fast", "-q"]
    dev = ["--lm-dev", corpus.test_references[0]]
    more = ["--lm-text", files[2], "--lm-text", files[3]]
    done(verb(*call, "--model", tmp_path / "tuned", *more, *dev))
    done(verb(*call, "--model", tmp_path / "held", *more))
    done(verb(*call, "--model", tmp_path / "pruned", *more, "--set", "lm.prune=1e-5"))
    references = [line for path in corpus.test_references[1:] for line in read_lines(path)]
    text = "".join(line + "\n" for line in references)
    for name in ("tuned", "held"):
        lm = Model.load(tmp_path / name).lm
        # Over the same words: one that knows fewer of them has less to predict.
        alone = model_of(target[:100], lm.order, lm.vocabulary)
        values = [perplexity(each, lm.vocabulary.encode(text)).value for each in (lm, alone)]
        assert values[0] < 0.8 * values[1]
    for name in ("tuned", "held"):
        weights = ModelFolder(tmp_path / name).manifest.info["language model weights"]
        assert sum(weights) == pytest.approx(1)
        assert weights[1] > weights[2], "the noise counts for less"
        assert weights[2] < 0.3
    n_pruned, n_held = (sum(Model.load(tmp_path / n).lm.n_ngrams) for n in ("pruned", "held"))
    assert n_pruned < 0.9 * n_held
    out = verb("translate", "--model", tmp_path / "tuned", "--input", corpus.dev_source, "-q")
    assert len(done(out).splitlines()) == 10


def test_mistakes_about_more_text_are_one_clear_line(verb: Run, tmp_path: Path) -> None:
    write_lines(tmp_path / "a", ["x y"])
    (tmp_path / "empty").write_text("\n")
    call = ["train", "--source", tmp_path / "a", "--target", tmp_path / "a", "--model"]
    told = mistake(verb(*call, tmp_path / "m", "--lm-dev", tmp_path / "a"))
    assert "give more text, too" in told
    told = mistake(verb(*call, tmp_path / "m", "--lm-text", tmp_path / "empty", "-q"))
    assert told.endswith("empty: has no words to learn from")
    told = mistake(verb(*call, tmp_path / "m", "--lm-text", tmp_path / "none"))
    assert told.endswith("none: no such file")


def test_the_command_prunes(verb: Run, corpus: CorpusFiles, tmp_path: Path) -> None:
    call = ["lm", "--text", corpus.train_target, "--json"]
    whole = json.loads(done(verb(*call, "--arpa", tmp_path / "a")))["ngrams"]
    fewer = json.loads(done(verb(*call, "--arpa", tmp_path / "b", "--prune", "1e-5")))["ngrams"]
    assert fewer[0] == whole[0]
    assert sum(fewer) < sum(whole)
    assert read_arpa(tmp_path / "b").n_ngrams == fewer
