"""Gaps of rules: reserved ids among their words (core/blocks/gaps.h)."""

from __future__ import annotations

from calque.text import END, START

FIRST_GAP, SECOND_GAP = START, END
"""Boundaries of sentences never stand inside a phrase, so their ids are free there."""
