"""The generated corpus as language, checked from the surface of its sentences alone."""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter

import pytest

from calque.data import PAIRS, Example, generate, generate_aligned

NAMES = list(PAIRS)
MASCULINE = {"lo", "un", "kesto", "kelo", "mio", "tio", "suo", "nostro"}
MASCULINE |= {"los", "uns", "kestos", "kelos", "mios", "tios", "suos", "nostros"}
FEMININE = {"la", "una", "kesta", "kela", "mia", "tia", "sua", "nostra"}
FEMININE |= {word + "s" for word in FEMININE}
PLURAL = {word for word in MASCULINE | FEMININE if word.endswith("s")}
SINGULAR_INSTRUMENTS = {"guitar", "piano", "pianoforte", "violin", "fiddle", "drum", "flute"}
SINGULAR_INSTRUMENTS |= {"trumpet", "horn", "harp", "organ", "cello", "accordion"}
INSTRUMENTS = SINGULAR_INSTRUMENTS | {word + "s" for word in SINGULAR_INSTRUMENTS}


@functools.cache
def train(pair: str) -> list[Example]:
    return list(generate(pair, "train", 20_000))


@functools.cache
def aligned(pair: str) -> list[Example]:
    return list(generate_aligned(pair, "train", 4_000))


def lower(text: str) -> list[str]:
    return text.lower().split()


def test_velian_determiners_agree_with_the_next_word_in_gender_and_number() -> None:
    n_checked = 0
    for example in train("near"):
        words = lower(example.source)
        for determiner, following in itertools.pairwise(words):
            if determiner in MASCULINE:
                assert not following.endswith(("a", "as")), example.source
            elif determiner in FEMININE:
                assert not following.endswith(("o", "os")), example.source
            else:
                continue
            if determiner in PLURAL:
                assert following.endswith("s"), example.source
            n_checked += 1
    assert n_checked > 10_000


def test_velian_prepositions_melt_with_the_article() -> None:
    text = " ".join(example.source for example in train("near"))
    assert " del " in text
    assert " nel " in text
    assert not re.search(r" (de|ne|a) los? ", text.replace("toto lo", "").replace("totos los", ""))


def test_oruka_suffixes_are_in_vowel_harmony() -> None:
    plurals = {w for e in train("far") for w in lower(e.source) if w.endswith(("tam", "tem"))}
    nouns = {word for word in plurals if len(word) > 6}
    assert len(nouns) > 200
    assert all(word.endswith(("atam", "item")) for word in nouns)


def test_oruka_statements_end_with_the_verb_and_questions_with_a_particle() -> None:
    for example in train("far")[:5_000]:
        words = lower(example.source)
        if words[-1] == "?" and not lower(example.targets[0])[0].startswith("wh"):
            assert words[-2].endswith(
                ("miko", "mi", "mu", "ten", "tan", "zeri", "zoru", "ya", "ye")
            )


def test_english_verbs_agree_with_pronouns() -> None:
    text = "\n".join(e.targets[0] for pair in NAMES for e in train(pair))
    start = functools.partial(re.findall, string=text, flags=re.MULTILINE)
    assert not start(r"^(?:He|She) (?:do|have|are|were|go|want|am)\b")
    assert not start(r"^(?:I|We|They|You) (?:does|has|is|goes|wants|needs|knows)\b")
    assert not start(r"^(?:These|Those|Many|Several|Two|Three) \w+ (?:is|was|does|has)\b")
    assert not start(r"^(?:This|That|Every|Each|An?) \w+ (?:are|were|do|have)\b")
    assert len(start(r"^(?:He|She) (?:does|has|is|was)\b")) > 50


def test_english_articles_suit_the_next_word() -> None:
    for pair in NAMES:
        for example in train(pair):
            text = f" {example.targets[0].lower()}"
            assert not re.search(r" a [aeiou]| an [^aeiou]", text), text


def sources_of(pair: str, words: str) -> set[str]:
    """The source words that link to one of these target words."""
    found: set[str] = set()
    for example in aligned(pair):
        source, target = lower(example.source), lower(example.targets[0])
        found |= {source[s] for s, t in example.links if target[t] in words.split()}
    return found


@pytest.mark.parametrize(
    ("pair", "other"), [("near", "touch touches touched"), ("far", "pull pulls pulled")]
)
def test_the_object_resolves_an_ambiguous_verb(pair: str, other: str) -> None:
    shared = sources_of(pair, "play plays played") & sources_of(pair, other)
    assert shared, "both translations come from one source word"
    played = [lower(e.targets[0]) for e in train(pair) if " played " in e.targets[0]]
    assert len(played) > 20
    for target in played:
        # "mini-guitar" is an instrument too
        assert INSTRUMENTS & {word.split("-")[-1] for word in target}, target


def test_a_particle_at_the_end_of_the_clause_changes_the_verb() -> None:
    """`carry` with a particle is `put on`."""
    assert sources_of("near", "carry carries carried") & sources_of("near", "put puts") - {"su"}


@pytest.mark.parametrize("pair", NAMES)
def test_names_and_numbers_link_to_themselves(pair: str) -> None:
    n_checked = 0
    for example in aligned(pair):
        source, target = example.source.split(), example.targets[0].split()
        for t, word in enumerate(target):
            if re.fullmatch(r"[A-Z][a-z]+(sker|mont)|1[89][0-9]{2}", word):
                linked = [source[s] for s, other in example.links if other == t]
                assert linked == [word], (example.source, example.targets[0])
                n_checked += 1
    assert n_checked > 300


@pytest.mark.parametrize("pair", NAMES)
def test_links_agree_with_what_the_corpus_itself_says(pair: str) -> None:
    """Content words link to the source word that they occur with most, by the Dice coefficient."""
    together: Counter[tuple[str, str]] = Counter()
    sources: Counter[str] = Counter()
    targets: Counter[str] = Counter()
    for example in train(pair)[:8_000]:
        pair_of_sets = set(lower(example.source)), set(lower(example.targets[0]))
        sources.update(pair_of_sets[0])
        targets.update(pair_of_sets[1])
        together.update((s, t) for s, t in itertools.product(*pair_of_sets) if len(t) > 4)
    right = total = 0
    for example in aligned(pair)[:1_500]:
        source, target = lower(example.source), lower(example.targets[0])
        for t, word in enumerate(target):
            if len(word) < 5 or targets[word] < 30:
                continue
            gold = {source[s] for s, other in example.links if other == t}
            best = max(source, key=lambda s: 2 * together[s, word] / (sources[s] + targets[word]))
            total += 1
            right += best in gold
    assert total > 2_000
    assert right > 0.9 * total


@pytest.mark.parametrize("pair", NAMES)
def test_dev_and_test_have_a_few_words_that_training_does_not(pair: str) -> None:
    known = {word for example in train(pair) for word in example.source.split()}
    for split in ("dev", "test"):
        words = [w for e in generate(pair, split, 500) for w in e.source.split()]
        assert 0.01 < sum(word not in known for word in words) / len(words) < 0.03


@pytest.mark.parametrize("pair", NAMES)
def test_some_names_of_the_test_never_occur_in_training(pair: str) -> None:
    name = re.compile(r"[A-Z][a-z]+(?:sker|mont)$")
    known = {w for e in train(pair) for w in e.source.split() if name.match(w)}
    drawn = Counter(
        w for e in generate(pair, "test", 2_000) for w in e.source.split() if name.match(w)
    )
    # Names that are frequent in the test but absent from a far larger training set are reserved.
    assert [w for w, count in drawn.items() if count > 2 and w not in known]


@pytest.mark.parametrize("pair", NAMES)
def test_lengths_and_frequencies_are_those_of_text(pair: str) -> None:
    for texts in (
        [example.source for example in train(pair)],
        [example.targets[0] for example in train(pair)],
    ):
        lengths = sorted(len(text.split()) for text in texts)
        assert 10 <= sum(lengths) / len(lengths) <= 14
        assert lengths[0] <= 3
        assert 28 <= lengths[-1] <= 60
        half = Counter(word for text in texts[:10_000] for word in text.split())
        whole = Counter(word for text in texts for word in text.split())
        assert len(whole) > 1.2 * len(half), "the vocabulary keeps growing"
        assert sum(count == 1 for count in whole.values()) > 0.3 * len(whole)
        ranked = [count for _, count in whole.most_common(1_000)]
        assert ranked[9] > 30 * ranked[999]


def test_the_far_pair_jumps_where_the_near_pair_steps() -> None:
    mean: dict[str, float] = {}
    for pair in NAMES:
        steps: list[int] = []
        for example in aligned(pair):
            first: dict[int, int] = {}
            for source, target in example.links:
                first.setdefault(target, source)
            order = [first[target] for target in sorted(first)]
            steps += [abs(b - a - 1) for a, b in itertools.pairwise(order) if a != b]
        mean[pair] = sum(steps) / len(steps)
    assert mean["near"] < 1.3
    assert mean["far"] > 2.5
