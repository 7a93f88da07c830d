"""Ctrl-C ends long calls of the core at once, on the main thread and on threads beside it."""

from __future__ import annotations

import os
import signal
from threading import Timer

import numpy as np
import pytest
from chart_reference import random_grammar
from decode_reference import as_source, tiny_model
from numpy.typing import NDArray
from test_chart_exact import UNPRUNED, decoder_of, random_text, random_weights

from calque import _core
from calque.config import DecodeOptions
from calque.decode import Decoder
from calque.features import Weights
from calque.parallel import Threads

PASSES = 10_000_000
"""Over a text: counting takes so many only here, and far longer than any test may."""


def count_without_end() -> None:
    n = 1 << 16
    tokens = np.full(n, 3, np.int32)
    _core.count_ngrams(
        2,
        True,
        tokens,
        tokens,
        np.zeros(n, np.int32),
        np.zeros(4, np.uint32),
        np.zeros((n, 2), np.int32),
        np.zeros(n, np.int32),
        np.zeros(n, np.uint32),
        PASSES,
        np.zeros(n, np.int32),
    )


def test_ctrl_c_ends_a_call() -> None:
    interrupt = Timer(0.1, os.kill, [os.getpid(), signal.SIGINT])
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        count_without_end()
    interrupt.join()


def test_ctrl_c_ends_a_list_that_has_no_end() -> None:
    """One sentence of a few words has more derivations than anybody can list."""
    parts = tiny_model(seed=1)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    text = as_source([[3, 4, 5, 6] * 5])
    interrupt = Timer(0.2, os.kill, [os.getpid(), signal.SIGINT])
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        decoder.decode(text, Weights.default(), DecodeOptions(), n_best=2**31, distinct=False)
    interrupt.join()


def test_ctrl_c_ends_a_list_of_derivations_by_rules() -> None:
    grammar = random_grammar(1)
    decoder = decoder_of(grammar)
    _, text = random_text(grammar, 1, n_words=20)
    interrupt = Timer(0.2, os.kill, [os.getpid(), signal.SIGINT])
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        decoder.decode(text, random_weights(decoder, 1), UNPRUNED, n_best=2**31, distinct=False)
    interrupt.join()


@pytest.mark.parametrize("what", [KeyboardInterrupt, ValueError])
def test_what_leaves_the_block_ends_the_calls_of_its_threads(what: type[BaseException]) -> None:
    with pytest.raises(what), Threads(2) as pool:
        calls = [pool.submit(count_without_end) for _ in range(3)]
        while not any(call.running() for call in calls):
            pass
        raise what
    assert all(call.done() for call in calls)


def test_threads_that_nothing_ends_give_their_results() -> None:
    with Threads(2) as pool:
        assert list(pool.map(abs, [-1, 2, -3])) == [1, 2, 3]


def aligner_of(words: NDArray[np.int32], threads: int) -> _core.Aligner:
    offsets = np.arange(0, len(words) + 1, 30)
    return _core.Aligner(
        words,
        offsets,
        words,
        offsets,
        null_prob=0.2,
        alpha=0.0,
        tension=4.0,
        jump_smoothing=0.5,
        jump_width=5,
        max_words=100,
        threads=threads,
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_handlers_of_signals_run_while_a_call_works_in_chunks(threads: int) -> None:
    """And what they do not end gives the same as a call that nothing disturbs."""
    words = np.random.default_rng(1).integers(3, 5000, 300_000).astype(np.int32)
    expected = aligner_of(words, threads).model1_step(threads)
    disturbed = aligner_of(words, threads)
    n_handled = 0

    def handle(*_: object) -> None:
        nonlocal n_handled
        n_handled += 1

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        assert disturbed.model1_step(threads) == expected
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert n_handled >= 2  # one of them when the call has ended
