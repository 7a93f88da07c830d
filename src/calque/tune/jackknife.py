"""Lists from models that have not seen the sentence.

The training text is in parts, each of which is decoded by a model of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.blocks import extract, within
from calque.config import BlockOptions, LmOptions, fill
from calque.decode import CandidateLists, CandidateSearch, Translator
from calque.decode.batches import behind
from calque.decode.candidates import DecoderAndPart, PartDecoder, decode_parts, n_sentences_of
from calque.decode.prepared import PreparedText, prepare
from calque.decode.training_text import TrainingText
from calque.errors import CalqueError, ModelError, OptionError
from calque.features import Weights
from calque.lm import LanguageModel, estimate
from calque.model import KeptBitext, Model, ModelFolder
from calque.model.feature_data import learn_feature_data
from calque.parallel import Engine, Here, Shared, left_mb
from calque.progress import SILENT, Progress
from calque.text import RESERVED, Bitext, GivenText, Sentences, Vocabulary
from calque.text.clean import CleaningReport
from calque.text.working import WorkingFolder
from calque.tune.decoder_source import DecoderSource, identity

STRETCH = 128
"""Lines in a row that belong to the same part: neighbours are often alike."""


def part_of_lines(lines: NDArray[np.int64], n_parts: int) -> NDArray[np.int64]:
    """The part of every line: stretches of lines take turns."""
    return lines // STRETCH % n_parts


class JackknifeSource(DecoderSource):
    """Candidates of the training text, each part of it decoded by a model of the other parts.

    Such a model has blocks, block scores, language models and all other counts of the other parts
    only. What it shares with the model of the whole are vocabularies, word classes (features go by
    them), word alignments and what was learned of unseen words, which a single pair hardly changes.
    """

    def __init__(
        self,
        translator: Translator,
        source: GivenText,
        n_best: int,
        n_parts: int,
        *,
        folder: Path | None,
        models: Path | None = None,
        lists: Path | None = None,
        threads: int | None = None,
        engine: Engine | None = None,
    ) -> None:
        """Take a translator of the model in `folder`, and the text that it was learned from.

        `models` is a folder for those of the parts, which are looked for there before they are
        made; without it they lie in a temporary one. `lists` is as in `DecoderSource`.
        """
        if n_parts < 2:
            raise OptionError(f"jackknife={n_parts}: expected at least 2 parts")
        if folder is None:
            raise OptionError(
                "jackknife takes the folder of a model, which tells how blocks were extracted"
            )
        self._parts = PartModels(translator, folder, n_parts, models, threads)
        self._n_parts = n_parts
        self._decoders: dict[int, PartDecoder] = {}
        super().__init__(
            translator,
            source,
            n_best,
            folder=folder,
            lists=lists,
            threads=threads,
            engine=engine,
        )
        self.leaves_one_out = True
        self._inputs = {**self._inputs, "jackknife": n_parts}

    def _check_text(self) -> None:
        model, first = self._translator.model, 0
        training = TrainingText(model)
        prepared = prepare(self.sentences, model, self._translator.options.max_words)
        for text in PreparedText.batches(prepared, model):
            training.pairs_of_text(text, first)
            first += len(text.sentences)

    def _decoded(self, weights: Weights, n: int, skip: int = 0) -> Iterator[CandidateLists]:
        engine = self.engine or Here(self._threads)
        tasks = behind(self._tasks(engine), skip, lambda task: n_sentences_of(task[1]))
        return decode_parts(tasks, weights, n, engine)

    def _tasks(self, engine: Engine) -> Iterator[DecoderAndPart]:
        """All sentences in their order, each stretch with the decoder of its part."""
        self._parts.make(engine)
        for first in range(0, self.n_sentences, STRETCH):
            [part] = part_of_lines(np.array([first]), self._n_parts).tolist()
            if part not in self._decoders:
                self._decoders[part] = PartDecoder(self._parts[part])
            decoder = self._decoders[part].shared_by(engine)
            sentences = self.sentences[first : first + STRETCH]
            search = CandidateSearch(self._parts[part], sentences)
            yield from ((decoder, some) for some in search.parts())

    def derived(self, weights: Weights, n: int, progress: Progress = SILENT) -> Any:
        """Refused: derivations are looked up in one model, but each part has its own."""
        raise OptionError("jackknife gives candidates without their derivations")

    def truths(self, *arguments: Any, **options: Any) -> Iterator[CandidateLists]:
        """Refused: the closest translations are sought with the whole model."""
        raise OptionError("jackknife cannot search for oracle truths: expected truth=pool")

    def bags(self, *arguments: Any, **options: Any) -> Iterator[CandidateLists]:
        """Refused: bags are drawn from the whole model."""
        raise OptionError("jackknife cannot draw bags of blocks: expected first_candidates=decoder")


class PartModels:
    """The models without a part each, mapped from disk.

    It can be pickled, so that each is made wherever an engine runs its tasks.
    """

    def __init__(
        self,
        translator: Translator,
        folder: Path,
        n_parts: int,
        models: Path | None,
        threads: int | None,
    ) -> None:
        """Take a translator of the model of the whole, and its folder."""
        model = translator.model
        if model.bitext is None:
            raise ModelError(
                "the model does not keep the sentence pairs that it was learned from, which"
                " jackknife needs: train it with a larger keep_bitext_mb"
            )
        self._given = translator, folder, n_parts, models, threads
        self._n_parts = n_parts
        self._model = model
        self._options = translator.options
        self._bitext = model.bitext
        self._part = part_of_lines(self._bitext.lines, n_parts)
        for part in range(n_parts):
            if (self._part == part).all():
                raise CalqueError(
                    f"jackknife={n_parts}: all {len(self._bitext):,} sentence pairs are in one"
                    f" part; expected more than {STRETCH:,} lines"
                )
        self._info = ModelFolder(folder).manifest.info
        # The whole may be used without its sparse features: then models of parts lack them, too.
        sparse = model.feature_options.sparse
        self._made_of = {"model": identity(folder), "parts": n_parts, "sparse": sparse}
        self._models = models
        self._threads = threads
        self._open: dict[int, Translator] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        translator, folder, n_parts, _, threads = self._given
        return PartModels, (translator, folder, n_parts, self._folder, threads)

    def make(self, engine: Engine) -> None:
        """Make those that are not there, each a task of an engine."""
        missing = [part for part in range(self._n_parts) if not self.is_there(part)]
        if not missing:
            return
        work = partial(_make, engine.share(self), engine.threads_per_task)
        for _ in engine.ordered_map(work, missing):
            pass

    def __getitem__(self, part: int) -> Translator:
        if part not in self._open:
            self._open[part] = Translator(Model.load(self._path(part)), self._options)
        return self._open[part]

    @cached_property
    def _folder(self) -> Path:
        if self._models is not None:
            self._models.mkdir(parents=True, exist_ok=True)
            return self._models
        self._temporary = WorkingFolder("parts")
        return self._temporary.path

    def _made(self, part: int) -> dict[str, Any]:
        return {"jackknife": {**self._made_of, "without": part}}

    def _path(self, part: int) -> Path:
        return self._folder / f"without-{part}"

    def is_there(self, part: int) -> bool:
        """Whether the model without a part has been made, from this model."""
        try:
            info = ModelFolder(self._path(part)).manifest.info
        except ModelError:
            return False
        return bool(info.get("jackknife") == self._made(part)["jackknife"])

    def make_one(self, part: int, threads: int) -> None:
        """Make the model without a part."""
        blocks = fill(BlockOptions(), dict(self._info.get("options", {}).get("blocks", {})))
        is_foreign = "arpa" in self._info.get("data", {}).get("files", {})
        model = model_of(
            self._model,
            self._bitext,
            self._part != part,
            blocks,
            keeps_lm=is_foreign,
            memory_mb=self._info.get("options", {}).get("memory_mb"),
            threads=threads,
        )
        model.save(self._path(part), self._made(part), threads)


def _make(models: Shared[PartModels], threads: int, part: int) -> None:
    """The task of an engine: one model."""
    models.get().make_one(part, threads)


def model_of(
    model: Model,
    bitext: KeptBitext,
    keep: NDArray[np.bool_],
    options: BlockOptions,
    *,
    keeps_lm: bool = False,
    memory_mb: int | None = None,
    threads: int | None = None,
) -> Model:
    """The model as it would be of some of its sentence pairs, in the same words and classes.

    With `keeps_lm` its language model stays: one of other text has not seen the pairs. `memory_mb`
    limits the own memory of the process.
    """
    some = bitext.select(keep)
    source, target, links = some.source, some.target, some.alignments
    options = replace(
        options, max_words=bitext.max_block_words, rules=bitext.rules or options.rules
    )
    blocks = extract(
        source,
        target,
        links.links,
        links.offsets,
        within(options, memory_mb, source.n_words + target.n_words),
        with_gaps=bitext.rules is not None,
        threads=threads,
    )
    vocabularies = model.source_vocabulary, model.target_vocabulary
    report = CleaningReport(len(source), len(source))
    data = learn_feature_data(
        model.feature_options,
        blocks,
        Bitext(source, target, *vocabularies, report, some.lines),
        links,
        bitext.max_block_words,
        counts_events=bool(model.decode_options.counting),
        known=model.feature_data,
        memory_mb=memory_mb,
        threads=threads,
    )
    return replace(
        model,
        blocks=blocks,
        lm=model.lm if keeps_lm else _lm_of(target, model, memory_mb),
        feature_data=data,
        bitext=None,
    )


def _lm_of(sentences: Sentences, model: Model, memory_mb: int | None) -> LanguageModel:
    """A language model like that of the model, of these sentences; words of others are unknown."""
    words = list(model.target_vocabulary)
    n_times = np.bincount(sentences.ids, minlength=len(words))
    n_times[: len(RESERVED)] = 0
    vocabulary = Vocabulary([words[word] for word in np.flatnonzero(n_times).tolist()])
    ids = np.fromiter((vocabulary.id(word) for word in words), np.int32, len(words))
    own = Sentences(ids[sentences.ids], sentences.offsets)
    memory = left_mb(memory_mb, LmOptions().memory_mb)
    return estimate(own, vocabulary, LmOptions(order=model.lm.order, memory_mb=memory))
