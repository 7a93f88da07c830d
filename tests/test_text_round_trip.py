"""Plain text that a model copies comes back as it was, sign by sign."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.config import TextOptions, TrainOptions
from calque.decode import Translator, load
from calque.model.build import build
from calque.text import BitextFiles, Preprocessor, Tokenizer, normalize
from calque.text.keep import FOREIGN_TO_LANGUAGE
from calque.text.normalize import normalize_keeping_spaces

SAMPLES = {
    "de": """\
Schreiben Sie an max.mustermann@firma.de oder rufen Sie an: +49 (0)30/123-456.
Um 10:30 Uhr fuhr er mit 50 km/h bei 20°C nach § 5 Abs. 2 (1/2 Liter) los.
C++ und C# sind Sprachen; siehe https://de.wikipedia.org/wiki/C++ und www.europa.eu/de?x=1#top!
Wie geht's? Sie hat’s gesagt: „Das ist Max' Auto …“
Ein <b>fettes</b> Wort &amp; ein <a href="http://a.b/c d">Verweis</a>, 5 &lt; 6.
DAS IST EIN TEST.
iPhone und eBay sind Marken, z.B. hier; 1.234,56 € oder 12 %.
Die CO2-Werte (2010-2015): 3,5-mal so hoch, d.h. "zu hoch".""",
    "en": """\
Don't mail john.o'neil+news@example.co.uk before 10:30 a.m., it's "not read".
The users' files are in /usr/local/bin, e.g. C:\\Windows or ~/x_y.txt (1/2 done).
See http://example.org/a_(b)?c=d&e=f#g, it cost $1,234.50 -- or £5/kg.
AT&T said: 'We're the #1'; rock 'n' roll @ 50 mph...
THE END.
<p>5 &lt; 6</p> and {0} or %s, not 100%.""",
    "ja": """\
私は2010年に東京へ行きました。メールはtaro@example.jpへ。
「すみません」と言った。URL: https://example.jp/ja?x=1
Python 3.11で<b>太字</b>です、10:30に！
これは ペンです　（全角）。""",
    "es": """\
¿Cómo estás? ¡Qué bien! Escríbeme a ana@correo.es a las 10:30.
El 50% de los niños, 1/2 litro y 20 °C: «sí», dijo.
Nº 5, n.º 3/2020, c/ Mayor, 3.º izq.""",
    "cs": """\
Příliš žluťoučký kůň, „úpěl“ ďábelské ódy: 10:30 h, 5 % a 1/2 l.
Je-li to možné, pište na e-mail jan.novak@firma.cz (tel. +420 123 456 789).
S.r.o. má 3,5 mil. Kč; viz www.firma.cz/cs?x=1.""",
    "fr": """\
L’été, j'ai dit : « Ça va ? » — Oui ! À 10 h 30 ou 10:30.
Aujourd'hui, 50 % des gens ; écrivez à jean@exemple.fr, s'il vous plaît.
C'est-à-dire 1 000,50\u202f€\u00a0! Voir http://exemple.fr/d'accord.""",
}
LINES = [(language, line) for language, text in SAMPLES.items() for line in text.split("\n")]


def copied(preprocessor: Preprocessor, sentence: str) -> str:
    """The text of the translation that copies every word of the sentence."""
    prepared = preprocessor.prepare(sentence, keep_foreign=True)
    places = range(len(prepared.words))
    kept = [place for span in prepared.foreign for place in range(*span)]
    return preprocessor.restore(
        prepared.words, prepared, [(i, i) for i in places], kept, list(places)
    )


def options_of(language: str, casing: Literal["keep", "lower", "true"] = "true") -> TextOptions:
    return TextOptions(
        tokenize=True,
        source_language=language,
        target_language=language,
        casing=casing,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    for language, text in SAMPLES.items():
        (folder / language).write_text(f"{text}\n" * 2)
    return folder


@pytest.fixture(scope="module")
def models(folder: Path) -> dict[str, Translator]:
    """Models that learned to translate each language to itself."""
    models = {}
    for language in SAMPLES:
        path, model = folder / language, folder / f"{language}.model"
        build(BitextFiles(path, path), model, TrainOptions(text=options_of(language)), threads=1)
        models[language] = load(model)
    return models


@pytest.mark.parametrize(("language", "line"), LINES)
def test_a_model_of_one_language_gives_every_text_back(
    models: dict[str, Translator], language: str, line: str
) -> None:
    assert models[language].translate(line).text == line


@pytest.mark.parametrize(("language", "line"), LINES)
def test_unknown_words_come_back_with_their_own_spacing(
    models: dict[str, Translator], language: str, line: str
) -> None:
    other = models["es" if language != "es" else "de"]  # which knows little of the line
    assert other.translate(line, reordering="mon").text == line


@given(
    st.text(
        st.sampled_from("aB1é漢 .,:;!?'’\"„“«»()[]<>/&@#%-+=°§…\u00a0\t")
        | st.characters(exclude_categories=["Cs"])
    ),
    st.sampled_from(sorted(SAMPLES)),
)
def test_what_is_copied_word_by_word_is_the_text_itself(text: str, language: str) -> None:
    preprocessor = Preprocessor(options_of(language, "keep"))
    assert copied(preprocessor, text) == normalize_keeping_spaces(text.replace("\n", " ")).strip()


@pytest.mark.parametrize(
    ("plain", "words"),
    [
        ("a@b.de, um 10:30.", ["a@b.de", ",", "um", "10:30", "."]),
        ("(www.x.de/y?z).", ["(", "www.x.de/y?z", ")", "."]),
        ("<b>x</b> &amp; 1/2", ["<b>", "x", "</b>", "&amp;", "1/2"]),
        ('<a href="x y">', ["<a", 'href="x', 'y">']),
        ("5 < 6 und 7 > 6, x<y", ["5", "<", "6", "und", "7", ">", "6", ",", "x", "<", "y"]),
        ("und/oder km/h", ["und", "/", "oder", "km", "/", "h"]),
        ("Nr. 10:30. Ende", ["Nr.", "10:30", ".", "Ende"]),
        ("+49 (0)30/123-456.", ["+49", "(0)30/123-456", "."]),
        ("5+12 = 17, +3", ["5", "+", "12", "=", "17", ",", "+", "3"]),
        ("am 1.5/3.", ["am", "1.5/3", "."]),
    ],
)
def test_urls_addresses_tags_entities_and_numbers_are_whole_words(
    plain: str, words: list[str]
) -> None:
    assert Tokenizer("de").tokenize(plain).split(" ") == words
    prepared = Preprocessor(options_of("de", "keep")).prepare(plain, keep_foreign=True)
    assert list(prepared.words) == words


@given(
    st.one_of(
        st.sampled_from([line for _, line in LINES]),
        st.text(st.sampled_from("aZé漢я59 .,-")),
        st.lists(
            st.sampled_from(["Dr.", "Nr.", "U.S.", "x.", "no", "5", "5,", "z,", "-", "."])
        ).map(" ".join),
    ),
    st.sampled_from(sorted(SAMPLES)),
)
def test_words_are_those_of_sacremoses(line: str, language: str) -> None:
    from sacremoses import MosesTokenizer

    line = normalize(line)
    words = MosesTokenizer(language).tokenize(line, escape=False)
    assert Tokenizer(language, protect=False).tokenize(line).split() == words


def test_words_that_sacremoses_cannot_join_stay_apart() -> None:
    assert Tokenizer("cs").detokenize(["x'", "-", "li"]) == "x' - li"


def test_a_tag_stays_at_the_translation_of_the_word_it_encloses() -> None:
    preprocessor = Preprocessor(options_of("de", "keep"))
    prepared = preprocessor.prepare("Das ist <b>fett</b>.", keep_foreign=True)
    links = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]
    words = ["That", "is", "<b>", "bold", "</b>", "."]
    text = preprocessor.restore(words, prepared, links, [2, 4], [-1, -1, 2, -1, 4, 5])
    assert text == "That is <b>bold</b>."


def test_a_tag_touches_whatever_comes_to_stand_in_it() -> None:
    preprocessor = Preprocessor(options_of("de", "keep"))
    prepared = preprocessor.prepare("Ein <b>kleiner Hund</b> läuft.", keep_foreign=True)
    links = [(0, 0), (1, 2), (2, 1), (3, 3), (4, 4), (5, 5), (6, 6)]
    words = ["A", "small", "<b>", "dog", "</b>", "walks", "."]
    text = preprocessor.restore(words, prepared, links, [2, 4], [-1, -1, 1, -1, 4, -1, 6])
    assert text == "A small <b>dog</b> walks."


@pytest.mark.parametrize(
    "text",
    ["a" * 200_000, "a." * 100_000, "<a b=" * 40_000, '<a b="' * 30_000, "www." * 50_000,
     "+49 " * 50_000, "+1" * 100_000, "a@" * 100_000, "http://" + "." * 200_000, "&a" * 100_000],
)  # fmt: skip
def test_looking_for_urls_takes_time_in_step_with_the_text(text: str) -> None:
    # Where it did not, these would take minutes.
    assert len(FOREIGN_TO_LANGUAGE.sub("", text)) <= len(text)


def test_a_line_of_capitals_stays_one(models: dict[str, Translator]) -> None:
    assert models["de"].translate("DAS IST EIN AUTO.").text == "DAS IST EIN AUTO."


def test_spaces_before_french_signs_stay_in_french() -> None:
    options = TextOptions(tokenize=True, source_language="fr", target_language="en")
    prepared = Preprocessor(options).prepare("Paris : Londres !")
    places = list(range(4))
    restored = Preprocessor(options).restore(
        prepared.words, prepared, [(i, i) for i in places], (), places
    )
    assert restored == "Paris: Londres!"
