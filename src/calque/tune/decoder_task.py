from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from calque.config import TASK_DEFAULTS, LeaveOneOutOptions
from calque.decode import Translator, load
from calque.errors import OptionError
from calque.features import Weights
from calque.metrics.metric import Metric
from calque.metrics.registry import make_metric, settings_of
from calque.model import DEFAULT, Model, ModelFolder, read_weights_file, weight_names
from calque.parallel import Engine
from calque.text import GivenText, Text
from calque.tune.decoder_source import DecodedText, DecoderSource, check_equal
from calque.tune.judge import Judge
from calque.tune.task import Task


class DecoderTask(Task):
    """Tunes a model of Calque: decodes the source anew whenever the weights have moved."""

    source: DecoderSource

    def __init__(
        self,
        model: Translator | Path | str,
        source: Text,
        references: Sequence[Text],
        metric: Metric | str = TASK_DEFAULTS.metric,
        *,
        dev_source: Text | None = None,
        dev_references: Sequence[Text] = (),
        leave_one_out: LeaveOneOutOptions | None = None,
        jackknife: int = 0,
        part_models: Path | None = None,
        n_best: int = TASK_DEFAULTS.list_length,
        start: Weights | Path | str = DEFAULT,
        metric_settings: Mapping[str, Any] | None = None,
        dense_only: bool = False,
        folder: Path | None = None,
        lists: Path | None = None,
        threads: int | None = None,
        engine: Engine | None = None,
    ) -> None:
        """Take a model, or a folder; `start` are the first weights.

        These are weights of the folder by name, or from a file of `name value` lines, or an object;
        a model that is no folder has its own. The source is a file or a list of sentences;
        `references` has one or more such texts, each with a translation of every sentence.

        Translations are measured as a user reads them. By name, `metric` splits words as 13a does
        where the model tokenises, and at spaces where its text is tokenised already, unless
        `metric_settings` say otherwise. With
        `dev_source` and `dev_references` the round is chosen on that text. With `leave_one_out` the
        text is the one that the model was learned from, and each sentence is decoded as if the
        model had not seen its pair. With `jackknife` it is that text, too, in so many parts, each
        decoded by a model of the others; these are kept in the folder `part_models`, if any.
        `folder` is where the model of a translator lies, which `jackknife` asks for. `lists` is a
        folder for candidates under the first weights: what lies there is not decoded again.
        With `dense_only` the sparse features of the model are left out, which saves time.
        With an `engine` candidates are found where it runs its tasks.
        """
        folder = folder if isinstance(model, Translator) else Path(model)
        self._dense_only = dense_only
        translator = _with_start(model, start)
        if dense_only:
            translator = _without_sparse(translator)
        if isinstance(metric, str):
            metric = _named_metric(metric, translator, metric_settings or {})
        elif metric_settings:
            raise OptionError("metric_settings are for a metric by name: expected a name")
        judge = Judge(references, metric)
        text = GivenText.of(source, "source")
        if jackknife:
            if leave_one_out is not None:
                raise OptionError(
                    "leave_one_out and jackknife cannot be combined: they are two"
                    " ways to the same end"
                )
            from calque.tune.jackknife import JackknifeSource

            candidates: DecoderSource = JackknifeSource(
                translator,
                text,
                n_best,
                jackknife,
                folder=folder,
                models=part_models,
                lists=lists,
                threads=threads,
                engine=engine,
            )
        else:
            candidates = DecoderSource(
                translator,
                text,
                n_best,
                folder=folder,
                references=judge.reference_lines,
                leave_one_out=leave_one_out,
                lists=lists,
                threads=threads,
                engine=engine,
            )
        check_equal(text, judge)
        selection = None
        if (dev_source is None) != (not len(dev_references)):
            raise OptionError("a development set is a source and references: expected both")
        if dev_source is not None:
            selection = DecodedText(translator, dev_source, dev_references, metric, threads, engine)
        super().__init__(candidates, judge, selection)

    @property
    def model(self) -> Model:
        """The model that is tuned; its search options are those of the task."""
        return self.source.model

    @property
    def texts(self) -> Sequence[str]:
        """The sentences to translate."""
        return self.source.sentences

    @property
    def inputs(self) -> dict[str, Any]:
        """What a training depends on, and whether sparse features were left out."""
        return {**super().inputs, **({"dense_only": True} if self._dense_only else {})}

    def translate(self, weights: Weights) -> list[str]:
        """Their best translations under these weights."""
        return self.source.translate(weights)


def _with_start(model: Translator | Path | str, start: Weights | Path | str) -> Translator:
    """The model with its first weights."""
    if isinstance(model, Translator):
        if not isinstance(start, Weights):
            return model
        return Translator(replace(model.model, weights=start), model.options)
    if isinstance(start, str) and (
        start in weight_names(ModelFolder(model)) or not Path(start).is_file()
    ):
        return load(model, start)
    loaded = load(model, DEFAULT)
    if isinstance(start, Path | str):
        start = read_weights_file(start, loaded.model.features)
    return Translator(replace(loaded.model, weights=start))


def _named_metric(name: str, translator: Translator, settings: Mapping[str, Any]) -> Metric:
    tokenises = translator.model.preprocessor.options.tokenize
    spaces = "tokenize" in settings_of(name) and not tokenises
    return make_metric(name, **{**({"tokenize": "none"} if spaces else {}), **settings})


def _without_sparse(translator: Translator) -> Translator:
    """The same without sparse features."""
    model = translator.model
    features = replace(model.feature_options, sparse="")
    weights = Weights(dict(model.weights))
    return Translator(replace(model, feature_options=features, weights=weights), translator.options)
