from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.blocks import BlockTable
from calque.config import DecodeOptions, FeatureOptions, fill, to_mapping
from calque.errors import CalqueError, ModelError, OptionError
from calque.features import FeatureSet, Weights
from calque.features.template import Template
from calque.lm import LanguageModel
from calque.model.feature_data import FeatureData
from calque.model.folder import ModelFolder, read_folder
from calque.model.kept_bitext import KeptBitext
from calque.model.origin import Origin
from calque.model.weights import DEFAULT, active_name, read_weights, write_weights
from calque.model.writer import ModelWriter
from calque.parallel import n_workers
from calque.text import RESERVED, Preprocessor, Vocabulary
from calque.unseen import KnownWords, Substitutes, UnseenWords


@dataclass(frozen=True, eq=False)
class Model:
    """Everything that translating needs, in memory or mapped from a folder."""

    preprocessor: Preprocessor
    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    blocks: BlockTable
    lm: LanguageModel
    weights: Weights
    decode_options: DecodeOptions
    feature_options: FeatureOptions = field(default_factory=FeatureOptions.standard)
    feature_data: FeatureData = field(default_factory=FeatureData)
    bitext: KeptBitext | None = None
    """What the model was learned from; none where that was large or is not known."""
    unseen: UnseenWords | None = None
    """What was learned of words like those that the training text lacks."""
    origin: Origin | None = None
    """The folder that it was loaded from, if any."""

    def __repr__(self) -> str:
        from_folder = "" if self.origin is None else f" of {self.origin.path}"
        words = f"{len(self.source_vocabulary):,} and {len(self.target_vocabulary):,} words"
        features = f"{len(self.features.names)} dense features"
        if families := self.feature_options.sparse:
            features += f", sparse families {families}"
        return (
            f"<Model{from_folder}: {len(self.blocks):,} blocks, {words},"
            f" language model of order {self.lm.order}, {features}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        origin = values.pop("origin")
        if origin is None:
            return _restored, (values,)
        return _reloaded, (origin, origin.changed(values))

    @cached_property
    def features(self) -> FeatureSet:
        """What scores the model's derivations."""
        return self.feature_data.compile(
            self.feature_options, self.blocks, self.source_vocabulary, self.target_vocabulary
        )

    @cached_property
    def substitutes(self) -> Substitutes | None:
        """What finds known words in place of others; none where nothing was learned of them."""
        if self.unseen is None:
            return None
        known = known_words(self.blocks, self.source_vocabulary)
        return Substitutes(self.unseen, known, self.target_vocabulary)

    def family(self, name: str) -> dict[str, Template]:
        """The model's templates of a family or group, by their names.

        Raises `CalqueError` where the model has none of that name.
        """
        family = self.feature_data.family_of(name, self.feature_options)
        active = self.features.templates
        templates = {template.name: template for template in family if template.name in active}
        if not templates:
            raise CalqueError(f"the model has no sparse features of the family '{name}'")
        return templates

    def in_family(self, name: str, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which of the keys are of a family or group of the model's sparse features."""
        return self.features.of_templates(self.family(name), keys)

    @classmethod
    def load(cls, path: Path | str, weights: str | None = None) -> Model:
        """The model in a folder, with its active weights or those called `weights`.

        Everything is checked: a damaged folder is a `ModelError` that names the file or the array.
        """
        return read_folder(path, lambda folder: cls._read(folder, weights))

    @classmethod
    def _read(cls, folder: ModelFolder, weights: str | None) -> Model:
        source, target = (
            _vocabulary(folder, f"vocabulary/{side}") for side in ("source", "target")
        )
        lm_words = _vocabulary(folder, "vocabulary/lm") if "vocabulary/lm" in folder else target
        name = weights or active_name(folder)
        chosen = read_weights(folder, name)
        origin = Origin.of(folder, name)
        preprocessor, options = folder.json("preprocessor"), folder.json("decode")
        blocks, lm = folder.arrays("blocks/"), folder.arrays("lm/")
        features = folder.json("features") if "features" in folder else {}
        bitext = folder.arrays("bitext/")
        try:
            model = cls(
                preprocessor=Preprocessor.from_json(preprocessor),
                source_vocabulary=source,
                target_vocabulary=target,
                blocks=BlockTable.from_arrays(blocks),
                lm=LanguageModel.from_arrays(lm, lm_words),
                weights=chosen,
                decode_options=fill(DecodeOptions(), options, "decode", stored=True),
                feature_options=fill(FeatureOptions.standard(), features, "features", stored=True),
                feature_data=FeatureData.load(folder),
                bitext=KeptBitext.from_arrays(bitext) if bitext else None,
                unseen=UnseenWords.from_json(folder.json("unseen")) if "unseen" in folder else None,
                origin=origin,
            )
            model._check()
            origin.parts.update({part.name: getattr(model, part.name) for part in fields(model)})
            _ = model.features  # compiled here so that a mistake in the choice shows now
            return model
        except (ModelError, OptionError) as error:
            raise ModelError(f"{folder.path}: {error}") from error

    def _check(self) -> None:
        """Raise `ModelError` where a number in the arrays leads nowhere."""
        n_words = len(self.source_vocabulary), len(self.target_vocabulary)
        self.blocks.check(*n_words)
        self.lm.check()
        self.feature_data.check(*n_words, len(self.blocks))
        if self.bitext is not None:
            self.bitext.check(*n_words)

    def save(self, path: Path | str, info: Mapping[str, Any], threads: int | None = None) -> None:
        """Write the model to a folder, atomically; `info` says how it was made."""
        with ModelWriter(path) as writer:
            writer.json("preprocessor", self.preprocessor.to_json())
            writer.text("vocabulary/source", self.source_vocabulary.to_text())
            writer.text("vocabulary/target", self.target_vocabulary.to_text())
            if self.lm.vocabulary != self.target_vocabulary:
                writer.text("vocabulary/lm", self.lm.vocabulary.to_text())
            rooms = {"blocks": self.blocks.to_arrays(), "lm": self.lm.to_arrays()}
            if self.bitext is not None:
                rooms["bitext"] = self.bitext.to_arrays()
            arrays = {f"{room}/{name}": a for room in rooms for name, a in rooms[room].items()}
            writer.arrays(arrays, n_workers(threads))
            self.feature_data.save(writer, n_workers(threads))
            writer.json("features", to_mapping(self.feature_options))
            if self.unseen is not None:
                writer.json("unseen", self.unseen.to_json())
            write_weights(writer, DEFAULT, self.weights)
            writer.json("decode", to_mapping(self.decode_options))
            made_by = f"calque {version('calque')}"
            writer.commit({"made_by": made_by, **info, "weights": DEFAULT})


def known_words(blocks: BlockTable, vocabulary: Vocabulary) -> KnownWords:
    """The source words that blocks translate by themselves, and how often each was seen."""
    singles = blocks.single_words().items()
    return KnownWords({vocabulary.word(id): n for id, n in singles if id >= len(RESERVED)})


def _restored(values: Mapping[str, Any]) -> Model:
    """The model that was pickled by value."""
    return Model(**values)


def _reloaded(origin: Origin, changed: Mapping[str, Any]) -> Model:
    """The model that was pickled as a folder and what differs from it."""
    origin.check()
    model = Model.load(origin.path, origin.weights)
    return replace(model, **changed) if changed else model


def _vocabulary(folder: ModelFolder, name: str) -> Vocabulary:
    text = folder.text(name)
    try:
        return Vocabulary.from_text(text)
    except CalqueError as error:
        raise ModelError(f"{folder.path}: {name}: {error}") from error
