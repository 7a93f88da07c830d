"""N-best lists of any decoder, and the pools that grow from them."""

from calque.hyps.consensus import by_consensus
from calque.hyps.formats import FORMATS, nbest_lines, read_nbest, write_nbest
from calque.hyps.lists import Lists
from calque.hyps.nbest import Candidate, NBest, joined
from calque.hyps.pool import CandidatePool
from calque.hyps.rescore import TOTAL, rescored, with_total
from calque.hyps.store import CandidateStore
from calque.hyps.translations import list_of_translations

__all__ = [
    "FORMATS",
    "TOTAL",
    "Candidate",
    "CandidatePool",
    "CandidateStore",
    "Lists",
    "NBest",
    "by_consensus",
    "joined",
    "list_of_translations",
    "nbest_lines",
    "read_nbest",
    "rescored",
    "with_total",
    "write_nbest",
]
