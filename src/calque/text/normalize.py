"""One spelling for text that looks the same, so that words compare as readers see them."""

from __future__ import annotations

import re
import unicodedata

# Where a writer meant a gap: every control character that separates (information separators too,
# as dropping one would glue two words) and every space of Unicode.
_SPACES = (
    "\t\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
# What nobody sees: soft hyphen, zero width space, marks of direction, word joiner and invisible
# operators, annotation anchors, byte-order mark. Not U+200C and U+200D, the joiners, which tell
# words apart in Persian and in scripts of India and hold emoji together.
_INVISIBLE = [
    *(0xAD, 0x61C, 0x200B, 0x200E, 0x200F),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFFF9, 0xFFFC),
    0xFEFF,
]
_CONTROLS = [code for code in [*range(0x20), *range(0x7F, 0xA0)] if chr(code) != "\n"]

_MAP: dict[int, str | None] = dict.fromkeys([*_CONTROLS, *_INVISIBLE])
_MAP.update({ord(space): " " for space in _SPACES})
# The same with the spaces that stand within a line kept.
_LINE_ENDS = "\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029"
_LINE_SPACES = frozenset(_SPACES).difference(_LINE_ENDS)
_SPACED_MAP = {code: to for code, to in _MAP.items() if chr(code) not in _LINE_SPACES}
_MAPPED = re.compile("[" + "".join(map(chr, sorted(_MAP))) + "]")
_MAPPED_ASCII = bytes(code for code in _MAP if code < 128)
_RUN = re.compile("  +")
_EDGE = re.compile(" ?\n ?")


def normalize(block: str) -> str:
    r"""The same lines in Unicode form NFC with single plain spaces and nothing invisible.

    Words of the result are separated by one space, lines neither begin nor end with one, and '\n'
    is the only other separator: the number of lines never changes. Applying it twice changes
    nothing. A block that is clean already costs a few scans and is returned as it is.
    """
    if block.isascii():
        raw = block.encode("ascii")
        if len(raw.translate(None, _MAPPED_ASCII)) != len(raw):
            block = block.translate(_MAP)
    else:
        if _MAPPED.search(block):
            block = block.translate(_MAP)
        # After the mapping: a dropped character may have stood between a letter and its accent.
        if not unicodedata.is_normalized("NFC", block):
            block = unicodedata.normalize("NFC", block)
    if "  " in block:
        block = _RUN.sub(" ", block)
    if " \n" in block or "\n " in block:
        block = _EDGE.sub("\n", block)
    return block.strip(" ")


def normalize_keeping_spaces(line: str) -> str:
    """The same line in Unicode form NFC with nothing invisible and all of its spaces.

    Only what others may take for the end of a line becomes a plain space.
    """
    return unicodedata.normalize("NFC", line.translate(_SPACED_MAP))
