"""Blocks: phrase pairs with counts, scores, orientations and inner alignments."""

from calque.blocks.extraction import extract
from calque.blocks.moses import read_moses_table, write_moses_tables
from calque.blocks.table import BlockTable

__all__ = ["BlockTable", "extract", "read_moses_table", "write_moses_tables"]
