"""Text in and out: files, normalising, tokens, case, numbers, cleaning, vocabulary, ids."""

from calque.text.files import open_input, open_output, read_blocks, read_lines, write_lines
from calque.text.sentences import Sentences, offsets_of
from calque.text.vocabulary import END, RESERVED, START, UNKNOWN, CorpusEncoder, Vocabulary

__all__ = [
    "END",
    "RESERVED",
    "START",
    "UNKNOWN",
    "CorpusEncoder",
    "Sentences",
    "Vocabulary",
    "offsets_of",
    "open_input",
    "open_output",
    "read_blocks",
    "read_lines",
    "write_lines",
]
