from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from calque.errors import CalqueError
from calque.metrics.names import check_name

TOKENIZERS = ("13a", "none", "intl", "char", "zh", "ja-mecab", "ko-mecab")
"""How words are split; `none` takes the spaces of the text, for text that is tokenised."""


def split_words(lines: Sequence[str], tokenize: str, lowercase: bool) -> list[str]:
    """The lines with white space between words, as sacreBLEU's tokenizers split them."""
    if lowercase:
        lines = [line.lower() for line in lines]
    if tokenize == "none":
        return list(lines)
    split = _tokenizer(tokenize)
    return [split(line.rstrip()) for line in lines]


def check_tokenizer(tokenize: str) -> None:
    """Raise an error where the name is unknown or a dictionary is not installed."""
    check_name("tokenizer", tokenize, TOKENIZERS)
    if tokenize.endswith("-mecab"):
        _tokenizer(tokenize)


def tokenizer_signature(tokenize: str) -> str:
    """How signatures name the tokenizer; those with a dictionary name its version too."""
    return str(_tokenizer(tokenize).signature()) if tokenize.endswith("-mecab") else tokenize


@lru_cache(maxsize=len(TOKENIZERS))
def _tokenizer(tokenize: str) -> Any:
    # Here, not above: sacreBLEU takes longer to import than most commands take to run.
    from sacrebleu.metrics.bleu import BLEU

    try:
        return BLEU(tokenize=tokenize, force=True).tokenizer
    except RuntimeError as error:  # a tokenizer whose dictionaries are not installed
        raise CalqueError(f"tokenizer '{tokenize}': {' '.join(str(error).split())}") from error
