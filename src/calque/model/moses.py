"""Complete models of Moses (`moses.ini`, tables, ARPA), in and out."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from calque.blocks import read_moses_table, write_moses_tables
from calque.config import DecodeOptions
from calque.errors import CalqueError, FileError, LineError
from calque.features import DENSE, REORDERING, TRANSLATION, ClassLanguageModel, Weights
from calque.lm import read_arpa, write_arpa
from calque.model.feature_data import FeatureData
from calque.model.model import Model
from calque.model.moses_chart import OF_CHART, chart_ini, is_chart, read_chart, write_chart_tables
from calque.model.moses_ini import INI, UNKNOWN_SCORE, Feature, MosesIni
from calque.progress import SILENT, Progress
from calque.text import RESERVED, Preprocessor, Vocabulary, read_lines, write_lines
from calque.text.files import is_working_file

MARK = "# Written by calque export."
"""The first line of the moses.ini of a folder that another export may replace."""
CLASS_LM = "class_language_model"
BAR = "|"
"""What stands between the factors of a word."""
ORIENTATIONS = "msd-bidirectional-fe"
PENALTIES = ("UnknownWordPenalty", "WordPenalty", "PhrasePenalty", "Distortion")


def read_moses(folder: Path | str, progress: Progress = SILENT) -> Model:
    """The model that the `moses.ini` of a folder describes; paths in it are relative to the folder.

    Phrase tables of four scores, one msd-bidirectional-fe reordering table, an ARPA language model
    of words and perhaps one of classes (factor 1 of the target words), and the distance, word,
    phrase and unknown-word penalties are understood; anything else is refused by name, because
    leaving it out would change the model. A model of the chart decoder (search-algorithm 3 or 5)
    has a table of rules and a glue grammar instead of phrase and reordering tables.
    """
    ini = MosesIni.read(folder)
    if is_chart(ini):
        return read_chart(ini, progress)
    table = ini.one("PhraseDictionary")
    class_lm = _class_lm(ini, table)
    lm = ini.one("KENLM", leaving_out=class_lm)
    reordering = ini.at_most_one("LexicalReordering")
    ini.refuse_others([table, lm, class_lm, reordering], PENALTIES)
    if reordering is not None:
        kind = reordering.arguments.get("type", ORIENTATIONS)
        if not re.fullmatch(rf"((wbe|phrase)-)?{ORIENTATIONS}(-allff)?", kind):
            raise ini.error(reordering, f"type={kind}: expected {ORIENTATIONS}")
    classes: dict[str, str] = {}
    blocks, source, target = read_moses_table(
        ini.file_of(table),
        None if reordering is None else ini.file_of(reordering),
        classes=None if class_lm is None else classes,
        progress=progress,
    )
    with progress.stage("read language model"):
        language_model = read_arpa(ini.file_of(lm))
    options = DecodeOptions(max_targets=0, options_per_span=ini.integer(table, "table-limit", 20))
    for line, text in ini.sections.get("distortion-limit", []):
        if not re.fullmatch(r"-1|[0-9]+", text):
            raise LineError(
                ini.path, line, f"'{text}': expected a whole number, or -1 for no limit"
            )
        options = replace(options, distortion_limit=int(text))
    weights = _dense(ini, table, lm, reordering, class_lm)
    model = Model(Preprocessor(), source, target, blocks, language_model, weights, options)
    if class_lm is None:
        return model
    with progress.stage("read class language model"):
        of_classes = read_arpa(ini.file_of(class_lm))
    ids = of_classes.vocabulary.id
    class_of = np.array([ids(classes.get(word, word)) for word in target], np.int32)
    class_of[: len(RESERVED)] = np.arange(len(RESERVED))
    return replace(
        model,
        feature_options=replace(model.feature_options, dense=f"standard + {CLASS_LM}"),
        feature_data=FeatureData(class_lm=ClassLanguageModel(of_classes, class_of)),
    )


def write_moses(
    model: Model, folder: Path | str, progress: Progress = SILENT, *, lossy: bool = False
) -> None:
    """Write the model as a folder that Moses reads: `moses.ini`, tables and ARPA.

    A class language model becomes one of the second factor of target words; rules become a table of
    rules and a glue grammar for Moses's chart decoder. Raises `CalqueError` that names what Moses
    does not have, before anything is written; if `lossy`, that is left out with a warning.
    """
    folder = Path(folder)
    has_classes = _has_classes(model)
    left_out = _left_out(model, has_classes)
    if left_out and not lossy:
        raise CalqueError(
            f"Moses has no {' and no '.join(left_out)}: an export without would translate"
            " otherwise; give --lossy to make one"
        )
    _take_folder(folder)
    text = model.preprocessor.options
    if text.tokenize or text.casing != "keep" or text.class_numbers:
        progress.warn(
            "the tables hold text as the model prepares it (tokens, case, number classes):"
            " Moses must be given text prepared alike"
        )
    if left_out:
        progress.warn(
            f"Moses has no {' and no '.join(left_out)}: left out, so that scores and translations"
            " will be others"
        )
    if model.decode_options.distortion_rule == "jump":
        progress.warn(
            "Moses has no distortion rule 'jump': it will not let a block end farther than the"
            " limit from the first word that is not translated"
        )
    if model.unseen is not None and model.decode_options.least_agreement < 1:
        progress.warn(
            "Moses copies words that it does not know: known words, which stand for some of them"
            " here (decode.least_agreement), are left out"
        )
    oriented = len(model.blocks.orientation) > 0
    is_of_rules = model.decode_options.engine == "chart"
    lines = chart_ini(model) if is_of_rules else _ini(model, oriented, has_classes)
    write_lines(folder / INI, [MARK, *lines])  # first: the mark of a folder that a killed run left
    if is_of_rules:
        write_chart_tables(model, folder, progress)
    else:
        _write_tables(model, folder, oriented, has_classes, progress)
    with progress.stage("write language model"):
        write_arpa(model.lm, folder / "lm.arpa.gz")
        if has_classes and model.feature_data.class_lm is not None:
            write_arpa(model.feature_data.class_lm.lm, folder / "class-lm.arpa.gz")


def _write_tables(
    model: Model, folder: Path, oriented: bool, has_classes: bool, progress: Progress
) -> None:
    source, target = model.source_vocabulary, model.target_vocabulary
    phrases, reordering = folder / "phrase-table.gz", folder / "reordering-table.gz"
    factored = _factored(model) if has_classes else target
    write_moses_tables(model.blocks, source, factored, phrases, progress=progress)
    if oriented:
        write_moses_tables(model.blocks, source, target, None, reordering, progress=progress)


def _has_classes(model: Model) -> bool:
    """Whether classes of words go along, as second factors; those of rules do not."""
    if model.decode_options.engine == "chart":
        return False
    has_weight = model.weights.get(CLASS_LM, 0.0) != 0 and model.feature_data.class_lm is not None
    return has_weight and not any(BAR in word for word in model.target_vocabulary)


def _factored(model: Model) -> Vocabulary:
    """The target words, each with its class: `word|class`."""
    classes = model.feature_data.class_lm
    assert classes is not None
    names = list(classes.lm.vocabulary)
    words = list(model.target_vocabulary)[len(RESERVED) :]
    of = classes.class_of[len(RESERVED) :].tolist()
    return Vocabulary([f"{word}{BAR}{names[id]}" for word, id in zip(words, of, strict=True)])


def _take_folder(folder: Path) -> None:
    """Make a folder; raises `FileError` where it holds files that are not an earlier export."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = sorted(file.name for file in folder.iterdir() if not is_working_file(file))
    except OSError as error:
        raise FileError(folder, f"cannot be written: {error.strerror}") from error
    if not others:
        return
    try:
        first_line = next(read_lines(folder / INI), "")
    except CalqueError:
        first_line = ""
    if first_line != MARK:
        raise FileError(
            folder,
            f"holds other files ({others[0]}), which are no earlier export: expected a new folder"
            " or an empty one",
        )


def _left_out(model: Model, has_classes: bool) -> list[str]:
    """What Moses cannot take over: dense features and sparse ones with a weight."""
    weights = model.weights
    of_engine = OF_CHART if model.decode_options.engine == "chart" else DENSE
    known = (*of_engine, CLASS_LM) if has_classes else of_engine
    left_out = [name for name, value in weights.items() if name not in known and value != 0]
    has_factors = model.decode_options.engine == "phrase"
    if CLASS_LM in left_out and has_factors and model.feature_data.class_lm is not None:
        left_out[left_out.index(CLASS_LM)] = f"{CLASS_LM} where words have a '{BAR}'"
    if n_sparse := len(weights.sparse):
        left_out.append(f"sparse features ({n_sparse:,} weights)")
    return left_out


def _ini(model: Model, oriented: bool, has_classes: bool) -> list[str]:
    options = model.decode_options
    weights = {name: model.weights.get(name, 0.0) for name in DENSE}
    lines = ["[input-factors]", "0", "", "[mapping]", "0 T 0", ""]
    lines += ["[distortion-limit]", str(options.distortion_limit), "", "[feature]"]
    lines += PENALTIES
    lines.append(
        "PhraseDictionaryMemory name=TranslationModel0 num-features=4 path=phrase-table.gz"
        f" input-factor=0 output-factor={'0,1' if has_classes else '0'}"
        f" table-limit={options.options_per_span}"
    )
    if oriented:
        lines.append(
            "LexicalReordering name=LexicalReordering0 num-features=6"
            " type=wbe-msd-bidirectional-fe-allff input-factor=0 output-factor=0"
            " path=reordering-table.gz"
        )
    lines.append(f"KENLM name=LM0 factor=0 path=lm.arpa.gz order={model.lm.order}")
    if has_classes and model.feature_data.class_lm is not None:
        order = model.feature_data.class_lm.lm.order
        lines.append(f"KENLM name=LM1 factor=1 path=class-lm.arpa.gz order={order}")
    lines += ["", "[weight]"]
    lines.append(f"UnknownWordPenalty0= {weights['unknown'] / UNKNOWN_SCORE!r}")
    lines.append(f"WordPenalty0= {-weights['word_count']!r}")
    lines.append(f"PhrasePenalty0= {weights['block_count']!r}")
    lines.append(f"Distortion0= {weights['distance']!r}")
    lines.append("TranslationModel0= " + " ".join(repr(weights[name]) for name in TRANSLATION))
    if oriented:
        lines.append("LexicalReordering0= " + " ".join(repr(weights[n]) for n in REORDERING))
    lines.append(f"LM0= {weights['language_model']!r}")
    if has_classes:
        lines.append(f"LM1= {model.weights[CLASS_LM]!r}")
    return lines


def _class_lm(ini: MosesIni, table: Feature) -> Feature | None:
    """The language model of the second factor of target words, where they have one."""
    factors = table.arguments.get("output-factor", "0")
    if factors not in ("0", "0,1"):
        raise ini.error(table, f"output-factor={factors}: expected 0 or 0,1")
    of_classes = [
        feature
        for feature in ini.features
        if feature.kind == "KENLM" and feature.arguments.get("factor", "0") == "1"
    ]
    if len(of_classes) != (factors == "0,1"):
        problem = "expected one KENLM with factor=1 where output-factor is 0,1, and else none"
        raise ini.error(of_classes[0] if of_classes else table, problem)
    return of_classes[0] if of_classes else None


def _dense(
    ini: MosesIni,
    table: Feature,
    lm: Feature,
    reordering: Feature | None,
    class_lm: Feature | None,
) -> Weights:
    """The weights under our names and signs; features that the model lacks weigh nothing."""
    values = dict.fromkeys(DENSE, 0.0)
    values |= ini.take(table.name, TRANSLATION)
    values |= ini.take(lm.name, ("language_model",))
    if reordering is not None:
        values |= ini.take(reordering.name, REORDERING)
    if class_lm is not None:
        values |= ini.take(class_lm.name, (CLASS_LM,))
    values |= ini.take_counts(
        ("WordPenalty", "word_count", -1.0),
        ("PhrasePenalty", "block_count", 1.0),
        ("Distortion", "distance", 1.0),
        ("UnknownWordPenalty", "unknown", UNKNOWN_SCORE),
    )
    return ini.checked(values)
