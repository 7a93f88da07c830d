"""Word classes learned from text: exchange for the classes, least loss for their tree."""

from __future__ import annotations

import numpy as np

from calque._core import ClassExchange, class_tree
from calque.config import ClassOptions, fill, to_mapping
from calque.errors import CalqueError
from calque.features.classes import WordClasses
from calque.progress import SILENT, Progress
from calque.text import END, START, UNKNOWN, Sentences, Vocabulary


def learn_classes(
    sentences: Sentences,
    vocabulary: Vocabulary,
    options: ClassOptions = ClassOptions(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> WordClasses:
    """Brown classes of the words of a corpus, as bit strings whose prefixes are coarser classes.

    Exchange (Kneser and Ney 1993) sorts the words into classes whose bigrams have high mutual
    information; merging them pairwise with the least loss (Brown and others 1992) gives the tree.
    Words rarer than `min_count` are `<unk>` to both, and take its class. Nothing is random. Where
    there are fewer words than classes, each word is a class. Time grows with the passes times the
    classes times the distinct bigrams.
    """
    fill(ClassOptions(), to_mapping(options), "classes")  # the same checks as from a file
    ids = sentences.ids
    if np.isin(ids, (START, END)).any():
        raise CalqueError("word classes: a sentence has <s> or </s> inside")
    counts = np.bincount(ids, minlength=len(vocabulary))
    ids = np.where(counts < options.min_count, UNKNOWN, np.arange(len(counts)))[ids]
    ids = ids.astype(np.int32)
    n_words = int(np.count_nonzero(np.bincount(ids, minlength=1)))
    if n_words == 0:
        raise CalqueError("word classes need at least one word, found none")
    n_classes = min(options.n_classes, n_words)
    exchange = ClassExchange(ids, sentences.offsets, len(vocabulary), n_classes)
    with progress.stage("sort words into classes", total=options.iterations) as stage:
        for done in range(options.iterations):
            moved = len(exchange.sweep())
            stage.advance()
            if moved == 0:
                stage.advance(options.iterations - done - 1)
                break
        stage.say(f"{n_words:,} words in {n_classes:,} classes")
    classes = exchange.classes()
    bits, _, _ = class_tree(ids, sentences.offsets, classes, n_classes)
    pairs = zip(vocabulary, classes.tolist(), strict=True)
    return WordClasses({word: bits[cls] for word, cls in pairs if cls >= 0})
