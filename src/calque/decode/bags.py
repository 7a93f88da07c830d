"""Bags of blocks: random candidates that need no search, with sparse features alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import numpy as np

from calque.config import LeaveOneOutOptions
from calque.decode.candidate_texts import CandidateTexts
from calque.decode.candidates import CandidateLists
from calque.decode.decoder import Decoder
from calque.decode.prepared import PreparedText, prepare
from calque.decode.training_text import TrainingText, with_left_out
from calque.decode.translator import Translator
from calque.errors import CalqueError, OptionError
from calque.model import Model


class BlockBags:
    """Draws a bag of blocks for every sentence (Tillmann & Zhang 2008).

    For each source span that blocks match, one of them is drawn at random, whatever its scores; a
    word that no block covers alone counts as the block that copies it. Spans overlap, so a bag is
    no translation. It has those sparse features that a block and its place in the sentence decide,
    such as P1 and W1; dense features are 0.
    """

    def __init__(self, translator: Translator, families: Sequence[str]) -> None:
        """Take a translator and the families of features that a bag has."""
        self._translator = translator
        model = translator.model
        features = model.features.only(_templates(model, families))
        if model.decode_options.engine == "chart":
            raise CalqueError(
                "bags of blocks need a model of decode.engine=phrase, but this one is of"
                " decode.engine=chart"
            )
        self._decoder = Decoder(model.blocks, model.target_vocabulary, model.lm, features)
        self._texts = CandidateTexts(translator)

    def lists(
        self,
        sentences: Sequence[str],
        seed: int,
        *,
        concat: bool = False,
        leave_one_out: LeaveOneOutOptions | None = None,
        threads: int | None = None,
    ) -> Iterator[CandidateLists]:
        """Lists of one candidate, its bag, per sentence, some sentences at a time.

        Their text is empty or, with `concat`, that of the targets by where the blocks begin. With
        `leave_one_out` the sentences are the lines of the training text, and blocks that a pair
        forgets are not drawn. Long sentences are not cut.
        """
        model = self._translator.model
        training = None if leave_one_out is None else TrainingText(model, leave_one_out)
        texts = PreparedText.batches(prepare(sentences, model, sys.maxsize), model)
        first = 0
        for text, left_out in with_left_out(texts, training):
            n = len(text.sentences)
            sparse, word_offsets, words = self._decoder.bags(
                text.source, seed, first=first, leave_one_out=left_out, threads=threads
            )
            read = [""] * n
            if concat:
                bags = self._texts.words(text, np.arange(n + 1), word_offsets, words)
                read = [self._texts.restored(" ".join(bag)) for bag in bags]
            yield CandidateLists(
                lengths=np.ones(n, np.int64),
                texts=read,
                dense=np.zeros((n, len(model.features.names))),
                scores=np.zeros(n),
                sparse=sparse,
            )
            first += n


def _templates(model: Model, families: Sequence[str]) -> list[str]:
    """The names of the templates of families; `OptionError` where a bag cannot have one."""
    if not families:
        raise OptionError("a bag of blocks needs a family of sparse features, such as P1: got none")
    names = []
    for family in families:
        for name, template in model.family(family).items():
            if not template.is_of_block:
                raise OptionError(
                    f"family '{family}': '{name}' looks beyond a block, but in a bag of blocks"
                    " nothing stands before or after another: expected families such as P1 and W1"
                )
            names.append(name)
    return names
