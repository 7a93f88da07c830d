"""Lists of very long sentences take no more stack than those of short ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

N_WORDS = 3000
DEEP = """
import sys, threading, warnings
sys.path.insert(0, {tests!r})
warnings.simplefilter("ignore")
from calque.config import DecodeOptions
from calque.decode import SourceText

def lists():
    {search}
    [decoded] = decoder.decode(text, weights, options, n_best=5, distinct={distinct}, threads=1)
    print(len(decoded.derivations))

threading.stack_size(1 << 18)
thread = threading.Thread(target=lists)
thread.start()
thread.join()
"""
CHART = """
    from chart_reference import random_grammar
    from test_chart_exact import decoder_of, random_weights
    grammar = random_grammar(5)
    decoder = decoder_of(grammar)
    weights = random_weights(decoder, 5)
    words = [f"w{{i % 5}}" for i in range({n})]
    text = SourceText.from_words([words], grammar.vocabulary, grammar.vocabulary)
    options = DecodeOptions(engine="chart", pop_limit=10)
"""
PHRASE = """
    from decode_reference import as_source, tiny_model
    from test_decode_exact import random_weights
    from calque.decode import Decoder
    parts = tiny_model(5)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    weights = random_weights(5)
    text = as_source([[3 + i % 5 for i in range({n})]])
    options = DecodeOptions(stack_size=10, pop_limit=20, distortion_limit=2)
"""


@pytest.mark.parametrize("distinct", [True, False])
@pytest.mark.parametrize("search", [PHRASE, CHART], ids=["phrase", "chart"])
def test_long_sentences_have_lists_with_little_stack(search: str, distinct: bool) -> None:
    """Recursion as deep as a sentence is long ended the process."""
    search = search.format(n=N_WORDS).strip()
    script = DEEP.format(tests=str(Path(__file__).parent), search=search, distinct=distinct)
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "5\n"), result.stderr
