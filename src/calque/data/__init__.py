"""A generated corpus that behaves like text: for the demo, the tests and the benchmarks.

Two invented source languages are translated into plain English, one of them nearly monotone
(`near`), one with long jumps (`far`). The grammar is recursive, the lexicon has Zipf's head and
an endless tail, words are ambiguous, idioms are not compositional, and translators differ.
"""

from calque.data.corpus import CHUNK, SPLITS, explain, generate, generate_aligned
from calque.data.example import PAIRS, Example, Pair
from calque.data.write import CorpusFiles, write_corpus

__all__ = [
    "CHUNK",
    "PAIRS",
    "SPLITS",
    "CorpusFiles",
    "Example",
    "Pair",
    "explain",
    "generate",
    "generate_aligned",
    "write_corpus",
]
