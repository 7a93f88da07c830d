"""States are as short as they can be and no shorter."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lm_corpora import Entries, backed_off, entries, model_of

from calque._core import LmState
from calque.lm import LanguageModel, read_arpa, write_arpa

texts = st.lists(
    st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join), min_size=1, max_size=8
).map(lambda lines: "\n".join(lines) + "\n")
walks = st.lists(st.lists(st.sampled_from("abcdz"), max_size=8), min_size=1, max_size=8)


def listed(model: LanguageModel, folder: Path) -> Entries:
    write_arpa(model, folder / "model.arpa")
    return entries(folder / "model.arpa")


def known(model: LanguageModel, words: list[str]) -> tuple[str, ...]:
    return tuple(model.vocabulary.word(model.vocabulary.id(word)) for word in words)


def after(model: LanguageModel, words: list[str]) -> LmState:
    state = model.core.begin()
    for word in words:
        state = model.core.score(state, model.vocabulary.id(word))[1]
    return state


@settings(max_examples=60, deadline=None)
@given(texts, st.integers(1, 7), walks)
def test_minimal_states_score_as_full_histories_do(
    tmp_path_factory: pytest.TempPathFactory, text: str, order: int, histories: list[list[str]]
) -> None:
    model = model_of(text, order)
    table = listed(model, tmp_path_factory.mktemp("lm"))
    continuations: dict[LmState, list[float]] = {}
    for history in histories:
        state = after(model, history)
        full = ("<s>", *known(model, history))[-(order - 1) :] if order > 1 else ()
        scores = []
        for word in ["</s>", *"abcdz"]:
            id = 2 if word == "</s>" else model.vocabulary.id(word)
            log_prob = model.core.score(state, id)[0]
            expected = backed_off(table, full, model.vocabulary.word(id)) * math.log(10)
            assert log_prob == pytest.approx(expected, abs=1e-4)
            scores.append(log_prob)
        assert continuations.setdefault(state, scores) == pytest.approx(scores, abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(texts, st.integers(1, 7), walks)
def test_a_state_keeps_the_longest_history_that_can_matter(
    tmp_path_factory: pytest.TempPathFactory, text: str, order: int, histories: list[list[str]]
) -> None:
    model = model_of(text, order)
    table = listed(model, tmp_path_factory.mktemp("lm"))
    contexts = {words[:-1] for words in table}
    for history in histories:
        full = ("<s>", *known(model, history))
        ends = [full[len(full) - n :] for n in range(1, min(order, len(full) + 1))]
        mattering = [end for end in ends if end in contexts or table.get(end, (0, 0))[1] != 0]
        expected = max(mattering, key=len, default=())
        kept = after(model, history).words
        assert tuple(model.vocabulary.word(id) for id in reversed(kept)) == expected


def test_unknown_words_and_ends_leave_the_empty_state() -> None:
    model = model_of("a b\nb a\na a b\n", 3)
    assert after(model, ["a", "zzz"]) == model.core.empty()
    assert hash(after(model, ["a", "zzz"])) == hash(model.core.empty())
    assert model.core.score(model.core.begin(), 2)[1] == model.core.empty()
    assert model.core.begin() != model.core.empty()
    assert model.core.begin() != "something else"


def test_a_zero_backoff_is_remembered_only_where_something_follows(tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    path.write_text(
        "\\data\\\nngram 1=5\nngram 2=1\n\n\\1-grams:\n-1\t<unk>\n0\t<s>\n-1\t</s>\n-1\ta\t0\n"
        "-1\tb\t0\n\n\\2-grams:\n-0.5\ta b\n\n\\end\\\n"
    )
    model = read_arpa(path)
    assert after(model, ["a"]).words == [model.vocabulary.id("a")]
    assert after(model, ["b"]).words == []


@settings(max_examples=60, deadline=None)
@given(texts, st.integers(2, 7), walks, st.randoms(use_true_random=False))
def test_a_pruned_file_scores_by_the_textbook(
    tmp_path_factory: pytest.TempPathFactory,
    text: str,
    order: int,
    histories: list[list[str]],
    random: Random,
) -> None:
    folder = tmp_path_factory.mktemp("lm")
    table = listed(model_of(text, order), folder)
    contexts = {words[:-1] for words in table}
    kept = {
        words: numbers
        for words, numbers in table.items()
        if len(words) == 1 or words in contexts or random.random() < 0.6
    }
    path = folder / "pruned.arpa"
    path.write_text(arpa(kept, order), encoding="utf-8")
    model = read_arpa(path)
    for history in histories:
        expected, context = 0.0, known(model, ["<s>"])
        for word in (*known(model, history), "</s>"):
            expected += backed_off(kept, context[-(order - 1) :], word)
            context = (*context, word)
        assert model.score(" ".join(history)) == pytest.approx(expected * math.log(10), rel=1e-4)


def arpa(table: Entries, order: int) -> str:
    lines = ["\\data\\"]
    lines += [f"ngram {n}={sum(len(w) == n for w in table)}" for n in range(1, order + 1)]
    for n in range(1, order + 1):
        lines.append(f"\\{n}-grams:")
        for words, (log10_prob, backoff) in table.items():
            if len(words) == n:
                lines.append(f"{log10_prob}\t{' '.join(words)}" + f"\t{backoff}" * (n < order))
    return "\n".join([*lines, "\\end\\", ""])
