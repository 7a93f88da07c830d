"""Blocks: phrase pairs with counts, scores, orientations and inner alignments."""

from calque.blocks.extraction import extract, within
from calque.blocks.gaps import FIRST_GAP, SECOND_GAP
from calque.blocks.hiero import read_hiero_table
from calque.blocks.moses import read_moses_table, write_moses_tables
from calque.blocks.rules import rule_limits
from calque.blocks.table import BlockTable

__all__ = [
    "FIRST_GAP",
    "SECOND_GAP",
    "BlockTable",
    "extract",
    "read_hiero_table",
    "read_moses_table",
    "rule_limits",
    "within",
    "write_moses_tables",
]
