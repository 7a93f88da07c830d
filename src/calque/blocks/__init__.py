"""Blocks: phrase pairs with counts, scores, orientations and inner alignments."""

from calque.blocks.extract import extract
from calque.blocks.table import BlockTable

__all__ = ["BlockTable", "extract"]
