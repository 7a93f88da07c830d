"""Complete models of Moses (`moses.ini`, tables, ARPA), in and out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from calque.blocks import read_moses_table, write_moses_tables
from calque.config import DecodeOptions
from calque.errors import CalqueError, FileError, LineError
from calque.features import DENSE, REORDERING, TRANSLATION, ClassLanguageModel, Weights
from calque.lm import read_arpa, write_arpa
from calque.model.feature_data import FeatureData
from calque.model.model import Model
from calque.progress import SILENT, Progress
from calque.text import RESERVED, Preprocessor, Vocabulary, read_lines, write_lines

INI = "moses.ini"
MARK = "# Written by calque export."
"""The first line of the moses.ini of a folder that another export may replace."""
CLASS_LM = "class_language_model"
BAR = "|"
"""What stands between the factors of a word."""
ORIENTATIONS = "msd-bidirectional-fe"
UNKNOWN_SCORE = 100.0
"""What Moses subtracts per unknown word under a weight of 1."""


@dataclass(frozen=True)
class _Feature:
    """A line of the [feature] section: `KENLM name=LM0 factor=0 path=lm.arpa.gz order=5`."""

    kind: str
    line: int
    arguments: dict[str, str]

    @property
    def name(self) -> str:
        return self.arguments.get("name", self.kind + "0")


def read_moses(folder: Path | str, progress: Progress = SILENT) -> Model:
    """The model that the `moses.ini` of a folder describes; paths in it are relative to the folder.

    Phrase tables of four scores, one msd-bidirectional-fe reordering table, an ARPA language model
    of words and perhaps one of classes (factor 1 of the target words), and the distance, word,
    phrase and unknown-word penalties are understood; anything else is refused by name, because
    leaving it out would change the model.
    """
    ini = Path(folder) / INI
    sections = _sections(ini)
    features = [_feature(ini, line, text) for line, text in sections.get("feature", [])]
    given = _weights(ini, sections.get("weight", []))
    table = _one(ini, features, "PhraseDictionary")
    class_lm = _class_lm(ini, features, table)
    lm = _one(ini, [feature for feature in features if feature is not class_lm], "KENLM")
    reordering = _at_most_one(ini, features, "LexicalReordering")
    known = ("UnknownWordPenalty", "WordPenalty", "PhrasePenalty", "Distortion")
    for feature in features:
        if feature not in (table, lm, class_lm, reordering) and feature.kind not in known:
            raise LineError(ini, feature.line, f"the feature {feature.kind} is not supported")
    if reordering is not None:
        kind = reordering.arguments.get("type", ORIENTATIONS)
        if not re.fullmatch(rf"((wbe|phrase)-)?{ORIENTATIONS}(-allff)?", kind):
            raise LineError(ini, reordering.line, f"type={kind}: expected {ORIENTATIONS}")
    classes: dict[str, str] = {}
    blocks, source, target = read_moses_table(
        _path(ini, table),
        None if reordering is None else _path(ini, reordering),
        classes=None if class_lm is None else classes,
        progress=progress,
    )
    with progress.stage("read language model"):
        language_model = read_arpa(_path(ini, lm))
    options = DecodeOptions(max_targets=0, options_per_span=_integer(ini, table, "table-limit", 20))
    for line, text in sections.get("distortion-limit", []):
        if not re.fullmatch(r"-1|[0-9]+", text):
            raise LineError(ini, line, f"'{text}': expected a whole number, or -1 for no limit")
        options = replace(options, distortion_limit=int(text))
    weights = _dense(ini, given, features, table, lm, reordering, class_lm)
    model = Model(Preprocessor(), source, target, blocks, language_model, weights, options)
    if class_lm is None:
        return model
    with progress.stage("read class language model"):
        of_classes = read_arpa(_path(ini, class_lm))
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

    A class language model becomes one of the second factor of target words. Raises `CalqueError`
    that names what Moses does not have, before anything is written; if `lossy`, that is left out
    with a warning.
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
    oriented = len(model.blocks.orientation) > 0
    source, target = model.source_vocabulary, model.target_vocabulary
    phrases, reordering = folder / "phrase-table.gz", folder / "reordering-table.gz"
    factored = _factored(model) if has_classes else target
    write_moses_tables(model.blocks, source, factored, phrases, progress=progress)
    if oriented:
        write_moses_tables(model.blocks, source, target, None, reordering, progress=progress)
    with progress.stage("write language model"):
        write_arpa(model.lm, folder / "lm.arpa.gz")
        if has_classes and model.feature_data.class_lm is not None:
            write_arpa(model.feature_data.class_lm.lm, folder / "class-lm.arpa.gz")
    write_lines(folder / INI, _ini(model, oriented, has_classes))


def _has_classes(model: Model) -> bool:
    """Whether classes of words go along, as second factors."""
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
        others = sorted(file.name for file in folder.iterdir())
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
    known = (*DENSE, CLASS_LM) if has_classes else DENSE
    left_out = [name for name, value in weights.items() if name not in known and value != 0]
    if CLASS_LM in left_out and model.feature_data.class_lm is not None:
        left_out[left_out.index(CLASS_LM)] = f"{CLASS_LM} where words have a '{BAR}'"
    if n_sparse := len(weights.sparse):
        left_out.append(f"sparse features ({n_sparse:,} weights)")
    return left_out


def _ini(model: Model, oriented: bool, has_classes: bool) -> list[str]:
    options = model.decode_options
    weights = {name: model.weights.get(name, 0.0) for name in DENSE}
    lines = [MARK, "[input-factors]", "0", "", "[mapping]", "0 T 0", ""]
    lines += ["[distortion-limit]", str(options.distortion_limit), "", "[feature]"]
    lines += ["UnknownWordPenalty", "WordPenalty", "PhrasePenalty", "Distortion"]
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


def _sections(ini: Path) -> dict[str, list[tuple[int, str]]]:
    """The lines of each [section] with their numbers, comments and empty lines left out."""
    sections: dict[str, list[tuple[int, str]]] = {}
    section: list[tuple[int, str]] = []
    for line, text in enumerate(read_lines(ini), 1):
        text = text.partition("#")[0].strip()
        if match := re.fullmatch(r"\[(.+)\]", text):
            section = sections.setdefault(match[1], [])
        elif text:
            section.append((line, text))
    return sections


def _feature(ini: Path, line: int, text: str) -> _Feature:
    kind, *rest = text.split()
    pairs = [field.partition("=") for field in rest]
    if bad := [key for key, equals, _ in pairs if not equals]:
        raise LineError(ini, line, f"'{bad[0]}': expected key=value")
    return _Feature(kind, line, {key: value for key, _, value in pairs})


def _class_lm(ini: Path, features: list[_Feature], table: _Feature) -> _Feature | None:
    """The language model of the second factor of target words, where they have one."""
    factors = table.arguments.get("output-factor", "0")
    if factors not in ("0", "0,1"):
        raise LineError(ini, table.line, f"output-factor={factors}: expected 0 or 0,1")
    of_classes = [
        feature
        for feature in features
        if feature.kind == "KENLM" and feature.arguments.get("factor", "0") == "1"
    ]
    if len(of_classes) != (factors == "0,1"):
        line = of_classes[0].line if of_classes else table.line
        problem = "expected one KENLM with factor=1 where output-factor is 0,1, and else none"
        raise LineError(ini, line, problem)
    return of_classes[0] if of_classes else None


def _at_most_one(ini: Path, features: list[_Feature], kind: str) -> _Feature | None:
    matching = [feature for feature in features if feature.kind.startswith(kind)]
    if len(matching) > 1:
        raise LineError(ini, matching[1].line, f"a second {kind} is not supported")
    return matching[0] if matching else None


def _one(ini: Path, features: list[_Feature], kind: str) -> _Feature:
    feature = _at_most_one(ini, features, kind)
    if feature is None:
        raise FileError(ini, f"no {kind} among the features")
    return feature


def _path(ini: Path, feature: _Feature) -> Path:
    if "path" not in feature.arguments:
        raise LineError(ini, feature.line, f"{feature.kind}: expected path=FILE")
    return ini.parent / feature.arguments["path"]


def _integer(ini: Path, feature: _Feature, key: str, default: int) -> int:
    text = feature.arguments.get(key, str(default))
    if not text.isdecimal():
        raise LineError(ini, feature.line, f"{key}={text}: expected a whole number")
    return int(text)


def _weights(ini: Path, rows: list[tuple[int, str]]) -> dict[str, list[float]]:
    weights = {}
    for line, text in rows:
        name, equals, values = text.partition("=")
        try:
            weights[name.strip()] = [float(value) for value in values.split()]
        except ValueError:
            equals = ""
        if not equals:
            raise LineError(ini, line, f"'{text}': expected NAME= number ...")
    return weights


def _dense(
    ini: Path,
    given: dict[str, list[float]],
    features: list[_Feature],
    table: _Feature,
    lm: _Feature,
    reordering: _Feature | None,
    class_lm: _Feature | None,
) -> Weights:
    """The weights under our names and signs; features that the model lacks weigh nothing."""
    values = dict.fromkeys(DENSE, 0.0)

    def take(feature: str, names: tuple[str, ...], factor: float = 1.0) -> None:
        values_given = given.get(feature)
        if values_given is None or len(values_given) != len(names):
            n_found = "none" if values_given is None else str(len(values_given))
            raise FileError(ini, f"{feature}: expected {len(names)} weights, found {n_found}")
        values.update(zip(names, (factor * weight for weight in values_given), strict=True))

    kinds = {feature.kind: feature.name for feature in features}
    take(table.name, TRANSLATION)
    take(lm.name, ("language_model",))
    if reordering is not None:
        take(reordering.name, REORDERING)
    if class_lm is not None:
        take(class_lm.name, (CLASS_LM,))
    for kind, name, factor in (
        ("WordPenalty", "word_count", -1.0),
        ("PhrasePenalty", "block_count", 1.0),
        ("Distortion", "distance", 1.0),
        ("UnknownWordPenalty", "unknown", UNKNOWN_SCORE),
    ):
        if kind in kinds:
            take(kinds[kind], (name,), factor)
    try:
        return Weights(values)
    except CalqueError as error:
        raise FileError(ini, str(error)) from error
