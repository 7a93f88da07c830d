"""N-best lists of any decoder, and the pools that grow from them."""

from calque.hyps.formats import FORMATS, read_nbest, write_nbest
from calque.hyps.nbest import NBest
from calque.hyps.pool import CandidatePool, Lists

__all__ = ["FORMATS", "CandidatePool", "Lists", "NBest", "read_nbest", "write_nbest"]
