"""Text in and out: files, normalising, tokens, case, numbers, cleaning, vocabulary, ids."""

from calque.text.bitext import (
    BitextFiles,
    BitextLists,
    BitextSource,
    BitextTmx,
    BitextTsv,
    bitext_in,
)
from calque.text.casing import CaseLearner, Truecaser, lowercase, restore_case
from calque.text.clean import CleaningReport, clean
from calque.text.corpus import Bitext, read_bitext
from calque.text.files import (
    open_input,
    open_output,
    read_blocks,
    read_line_groups,
    read_lines,
    write_lines,
)
from calque.text.given import GivenText, Text, checked_sentences, checked_text
from calque.text.normalize import normalize
from calque.text.numbers import class_numbers
from calque.text.overlap import find_overlap
from calque.text.pipeline import Prepared, Preprocessor
from calque.text.sentences import Sentences, offsets_of
from calque.text.tmx import read_units
from calque.text.tokenize import Tokenizer, languages
from calque.text.vocabulary import END, RESERVED, START, UNKNOWN, CorpusEncoder, Vocabulary

__all__ = [
    "END",
    "RESERVED",
    "START",
    "UNKNOWN",
    "Bitext",
    "BitextFiles",
    "BitextLists",
    "BitextSource",
    "BitextTmx",
    "BitextTsv",
    "CaseLearner",
    "CleaningReport",
    "CorpusEncoder",
    "GivenText",
    "Prepared",
    "Preprocessor",
    "Sentences",
    "Text",
    "Tokenizer",
    "Truecaser",
    "Vocabulary",
    "bitext_in",
    "checked_sentences",
    "checked_text",
    "class_numbers",
    "clean",
    "find_overlap",
    "languages",
    "lowercase",
    "normalize",
    "offsets_of",
    "open_input",
    "open_output",
    "read_bitext",
    "read_blocks",
    "read_line_groups",
    "read_lines",
    "read_units",
    "restore_case",
    "write_lines",
]
