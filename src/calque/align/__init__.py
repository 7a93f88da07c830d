"""Word alignments: which words of a sentence pair translate each other."""

from calque.align.align import align, align_sets
from calque.align.alignments import Alignments
from calque.align.hmm import HmmModel, Lexicon, train_hmm, train_model1
from calque.align.pharaoh import read_pharaoh, write_pharaoh
from calque.align.symmetrize import symmetrize

__all__ = [
    "Alignments",
    "HmmModel",
    "Lexicon",
    "align",
    "align_sets",
    "read_pharaoh",
    "symmetrize",
    "train_hmm",
    "train_model1",
    "write_pharaoh",
]
