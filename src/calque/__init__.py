"""Phrase-based translation whose weights are learned discriminatively."""
