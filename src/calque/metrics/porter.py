"""Porter's stemmer for English (Porter 1980, with the two changes of its author's own programs)."""

from __future__ import annotations

STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
    ("logi", "log"),
)  # fmt: skip
STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


def stem(word: str) -> str:
    """The stem of a word in lower case; words of one or two letters stay."""
    if len(word) <= 2:
        return word
    word = _past_and_gerund(_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(_replace(word, STEP_2), STEP_3)
    return _final(_drop(word))


def _plural(word: str) -> str:
    for suffix, left in (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")):
        if word.endswith(suffix):
            return word.removesuffix(suffix) + left
    return word


def _past_and_gerund(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        left = word.removesuffix(suffix)
        if left != word and _has_vowel(left):
            break
    else:
        return word
    if left.endswith(("at", "bl", "iz")):
        return left + "e"
    if _doubled(left) and left[-1] not in "lsz":
        return left[:-1]
    return left + "e" if _measure(left) == 1 and _short_end(left) else left


def _replace(word: str, table: tuple[tuple[str, str], ...]) -> str:
    """The word with its longest suffix of the table replaced, where enough is left before it."""
    matches = [pair for pair in table if word.endswith(pair[0])]
    if not matches:
        return word
    suffix, new = max(matches, key=lambda pair: len(pair[0]))
    left = word.removesuffix(suffix)
    return left + new if _measure(left) > 0 else word


def _drop(word: str) -> str:
    suffix = max((s for s in STEP_4 if word.endswith(s)), key=len, default="")
    left = word.removesuffix(suffix)
    if not suffix or _measure(left) <= 1 or (suffix == "ion" and left[-1] not in "st"):
        return word
    return left


def _final(word: str) -> str:
    if word.endswith("e"):
        left = word[:-1]
        if _measure(left) > 1 or (_measure(left) == 1 and not _short_end(left)):
            word = left
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


def _shape(word: str) -> str:
    """A `c` for each consonant, a `v` for each vowel; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """How many times consonants follow vowels."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _short_end(word: str) -> bool:
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"
