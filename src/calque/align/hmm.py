"""Our aligner: Model 1, then HMMs in both directions, by EM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque._core import Aligner
from calque.align.alignments import Alignments
from calque.align.in_parts import AlignerInParts, aligner_of
from calque.align.pharaoh import check_sides
from calque.align.symmetrize import links_to_source, links_to_target
from calque.align.too_long import warn_of_long
from calque.config.align import AlignOptions
from calque.progress import SILENT, Progress
from calque.text import Sentences
from calque.text.shared_folder import Cluster


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Word translation probabilities: word `given` has `words[offsets[given]:offsets[given + 1]]`.

    Every pair of words that share a sentence pair is there; words of a row are sorted by id.
    """

    offsets: NDArray[np.int64]
    """Where the row of each given word begins, and one last entry: the number of pairs."""
    words: NDArray[np.int32]
    """The generated words."""
    probs: NDArray[np.float32]
    """The probability of each generated word, given the word of its row."""
    null_probs: NDArray[np.float32]
    """Per generated word, its probability given the null word."""

    def prob(self, given: int, generated: int) -> float:
        """p(generated | given); 0 where the words never share a sentence pair."""
        if not 0 <= given < len(self.offsets) - 1:
            return 0.0
        begin, end = self.offsets[given], self.offsets[given + 1]
        at = begin + np.searchsorted(self.words[begin:end], generated)
        return float(self.probs[at]) if at < end and self.words[at] == generated else 0.0


@dataclass(frozen=True, eq=False)
class HmmModel:
    """A trained aligner of one bitext."""

    forward: Lexicon
    """p(target word | source word)."""
    reverse: Lexicon
    """p(source word | target word)."""
    forward_links: Alignments
    """At most one link per target word."""
    reverse_links: Alignments
    """At most one link per source word."""


def train_hmm(
    source: Sentences,
    target: Sentences,
    options: AlignOptions,
    threads: int,
    progress: Progress = SILENT,
) -> HmmModel:
    """Lexical probabilities and best links in both directions, learned by EM from the bitext.

    The result is the same, bit for bit, for any number of threads. Time grows with the sum over
    sentence pairs of (source length * target length * the sum of both); memory: 28 bytes per
    distinct pair of words that share a sentence pair, and 4 per pair of running words that do; the
    two lexicons of the result take 16 more per distinct pair.
    Sentence pairs with a side of more than `options.max_words` words stay without links.
    """
    aligner, (to_source, to_target) = _train(source, target, options, threads, progress)
    return HmmModel(
        Lexicon(*aligner.lexicon(False)),
        Lexicon(*aligner.lexicon(True)),
        links_to_source(to_source, target),
        links_to_target(to_target, source),
    )


def train_model1(
    source: Sentences,
    target: Sentences,
    n_iterations: int,
    threads: int,
    progress: Progress = SILENT,
) -> Lexicon:
    """p(source word | target word) by Model 1 proper (Brown et al. 1993): maximum likelihood.

    Every position is as likely as any other, the null word included. Sentence pairs too long for
    alignment take no part.
    """
    check_sides(source, target)
    options = AlignOptions(model1_iterations=n_iterations, hmm_iterations=0, alpha=0, tension=0)
    with progress.stage("train Model 1", n_iterations) as stage:
        aligner = aligner_of(source, target, options, threads)
        for _ in range(n_iterations):
            aligner.model1_step(threads, null_is_position=True)
            stage.advance()
    return Lexicon(*aligner.lexicon(True))


def hmm_links(
    source: Sentences,
    target: Sentences,
    options: AlignOptions,
    threads: int,
    progress: Progress = SILENT,
    cluster: Cluster | None = None,
) -> tuple[Alignments, Alignments]:
    """The links of `train_hmm` alone, forward and reverse, without the memory of its lexicons.

    With a `cluster` it counts where the engine of that runs its tasks; links are the same.
    """
    # What the aligner holds is free before the links are made.
    to_source, to_target = _train(source, target, options, threads, progress, cluster)[1]
    return links_to_source(to_source, target), links_to_target(to_target, source)


def _train(
    source: Sentences,
    target: Sentences,
    options: AlignOptions,
    threads: int,
    progress: Progress,
    cluster: Cluster | None = None,
) -> tuple[Aligner, tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """The aligner after all iterations, and its best paths, forward and reverse."""
    check_sides(source, target)
    warn_of_long(source, target, options.max_words, progress)
    n_hmm = options.hmm_iterations + options.agreement_iterations
    with progress.stage("align", options.model1_iterations + n_hmm + 1) as stage:
        aligner = aligner_of(source, target, options, threads)
        steps: Aligner | AlignerInParts = aligner
        if cluster is not None:
            steps = AlignerInParts(aligner, source, target, options, cluster)
        for _ in range(options.model1_iterations):
            steps.model1_step(threads)
            stage.advance()
        for iteration in range(n_hmm):
            steps.hmm_step(iteration >= options.hmm_iterations, threads)
            stage.advance()
        paths = steps.best_paths(threads)
        if isinstance(steps, AlignerInParts):
            steps.close()
        stage.advance()
    return aligner, paths
