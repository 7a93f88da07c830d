"""Models of Moses's chart decoder: a table of rules and a glue grammar, in and out."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from calque.blocks import read_moses_table, write_moses_tables
from calque.config import DecodeOptions, FeatureOptions
from calque.errors import FileError, LineError
from calque.features import SETS, TRANSLATION, Weights
from calque.lm import read_arpa
from calque.model.model import Model
from calque.model.moses_ini import UNKNOWN_SCORE, Feature, MosesIni
from calque.progress import SILENT, Progress
from calque.text import Preprocessor, read_lines, write_lines

SEARCH = "search-algorithm"
CHART_SEARCH = ("3", "5")
"""Moses's numbers of searches in a chart: cube pruning, incremental."""
SPAN = "max-chart-span"
MOSES_SPAN = 20
"""Words that a rule covers at most where a moses.ini does not say it."""
GLUE_SPAN = 1000
RULES, GLUE = "rule-table.gz", "glue-grammar"
OF_CHART = SETS["rules"]
PENALTIES = ("UnknownWordPenalty", "WordPenalty", "PhrasePenalty")
START = ("<s> [X]", "<s> [S]", "")
END = ("[X][S] </s> [X]", "[X][S] </s> [S]", "0-0")
JOIN = ("[X][S] [X][X] [X]", "[X][S] [X][X] [S]", "0-0 1-1")
"""The three glue rules: both sides and their links. The last puts a translation behind others."""


def is_chart(ini: MosesIni) -> bool:
    """Whether Moses searches in a chart."""
    return any(text in CHART_SEARCH for _, text in ini.sections.get(SEARCH, []))


def read_chart(ini: MosesIni, progress: Progress = SILENT) -> Model:
    """The model of rules that a `moses.ini` describes.

    One table of rules of four scores, one glue grammar of one, an ARPA language model of words, and
    the word, phrase and unknown-word penalties are understood; anything else is refused by name.
    """
    table, glue = _tables(ini)
    lm = ini.one("KENLM")
    ini.refuse_others([table, glue, lm], PENALTIES)
    for feature, key in ((table, "output-factor"), (lm, "factor")):
        if (factor := feature.arguments.get(key, "0")) != "0":
            raise ini.error(feature, f"{key}={factor}: expected 0, rules of words alone")
    blocks, source, target = read_moses_table(ini.file_of(table), with_gaps=True, progress=progress)
    with progress.stage("read language model"):
        language_model = read_arpa(ini.file_of(lm))
    options = DecodeOptions(
        engine="chart",
        max_targets=0,
        options_per_span=ini.integer(table, "table-limit", 20),
        max_span=_max_span(ini),
    )
    weights = _weights(ini, table, lm, glue)
    model = Model(Preprocessor(), source, target, blocks, language_model, weights, options)
    return replace(model, feature_options=FeatureOptions(dense="rules"))


def write_chart_tables(model: Model, folder: Path, progress: Progress = SILENT) -> None:
    """Write the table of rules and the glue grammar of a model."""
    source, target = model.source_vocabulary, model.target_vocabulary
    write_moses_tables(
        model.blocks, source, target, folder / RULES, with_gaps=True, progress=progress
    )
    scores = {START: 1.0, END: 1.0, JOIN: math.e}
    lines = [f"{a} ||| {b} ||| {score!r} ||| {links}" for (a, b, links), score in scores.items()]
    write_lines(folder / GLUE, lines)


def chart_ini(model: Model) -> list[str]:
    """The lines of a `moses.ini` for these tables.

    Moses counts glue rules among phrases, Calque does not: the weight of the glue grammar is the
    difference.
    """
    options = model.decode_options
    weights = {name: model.weights.get(name, 0.0) for name in OF_CHART}
    memory = "PhraseDictionaryMemory name=TranslationModel"
    factors = "input-factor=0 output-factor=0"
    return [
        *("[input-factors]", "0", ""),
        *("[mapping]", "0 T 0", "1 T 1", ""),
        *(f"[{SEARCH}]", CHART_SEARCH[0], "", "[inputtype]", "3", "", "[non-terminals]", "X", ""),
        *("[cube-pruning-pop-limit]", str(options.pop_limit or 1000), ""),
        *(f"[{SPAN}]", str(options.max_span), str(GLUE_SPAN), ""),
        *("[feature]", *PENALTIES),
        f"{memory}0 num-features=4 path={RULES} {factors} table-limit={options.options_per_span}",
        f"{memory}1 num-features=1 path={GLUE} {factors} tuneable=true",
        f"KENLM name=LM0 factor=0 path=lm.arpa.gz order={model.lm.order}",
        *("", "[weight]"),
        f"UnknownWordPenalty0= {weights['unknown'] / UNKNOWN_SCORE!r}",
        f"WordPenalty0= {-weights['word_count']!r}",
        f"PhrasePenalty0= {weights['block_count']!r}",
        "TranslationModel0= " + " ".join(repr(weights[name]) for name in TRANSLATION),
        f"TranslationModel1= {weights['glue_count'] - weights['block_count']!r}",
        f"LM0= {weights['language_model']!r}",
    ]


def _tables(ini: MosesIni) -> tuple[Feature, Feature]:
    """The table of rules and the glue grammar, told apart by their numbers of scores."""
    tables = ini.of_kind("PhraseDictionary")
    by_scores = {ini.integer(table, "num-features", len(TRANSLATION)): table for table in tables}
    if len(tables) > 2:
        raise ini.error(tables[2], "a third PhraseDictionary is not supported")
    if len(tables) < 2 or set(by_scores) != {1, len(TRANSLATION)}:
        raise FileError(
            ini.path,
            "expected two PhraseDictionary features: rules with num-features=4, and a glue grammar"
            " with num-features=1",
        )
    return by_scores[len(TRANSLATION)], by_scores[1]


def _max_span(ini: MosesIni) -> int:
    """Of the first table, which is that of rules."""
    for line, text in ini.sections.get(SPAN, [])[:1]:
        if not text.isdecimal() or int(text) == 0:
            raise LineError(ini.path, line, f"'{text}': expected a whole number above 0")
        return int(text)
    return MOSES_SPAN


def _weights(ini: MosesIni, table: Feature, lm: Feature, glue: Feature) -> Weights:
    values = dict.fromkeys(OF_CHART, 0.0)
    values |= ini.take(table.name, TRANSLATION)
    values |= ini.take(lm.name, ("language_model",))
    values |= ini.take(glue.name, ("glue_count",), math.log(_join_score(ini.file_of(glue))))
    values |= ini.take_counts(
        ("WordPenalty", "word_count", -1.0),
        ("PhrasePenalty", "block_count", 1.0),
        ("UnknownWordPenalty", "unknown", UNKNOWN_SCORE),
    )
    values["glue_count"] += values["block_count"]
    return ini.checked(values)


def _join_score(path: Path) -> float:
    """The score of the rule that joins translations, of a grammar of the three glue rules."""
    scores: dict[tuple[str, str], float] = {}
    known = {(a, b): allowed for (a, b, _), allowed in ((START, 1.0), (END, 1.0), (JOIN, None))}
    for line, text in enumerate(read_lines(path), 1):
        fields = [" ".join(field.split()) for field in text.split("|||")]
        sides = (fields[0], fields[1]) if len(fields) > 2 else ("", "")
        if sides not in known or sides in scores:
            raise LineError(path, line, "expected each of Moses's three glue rules once")
        try:
            scores[sides] = float(fields[2])
        except ValueError:
            scores[sides] = math.nan
        allowed = known[sides]
        if not 0 < scores[sides] < math.inf or allowed not in (None, scores[sides]):
            expected = "a number above 0" if allowed is None else "1"
            raise LineError(path, line, f"score '{fields[2]}': expected {expected}")
    if len(scores) < len(known):
        raise FileError(path, f"has {len(scores)} glue rules, expected {len(known)}")
    return scores[JOIN[0], JOIN[1]]
