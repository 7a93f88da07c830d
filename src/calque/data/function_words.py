"""The English side of the function words, and how often each one is drawn."""

from __future__ import annotations

from calque.data.entries import HIS, NUMERAL, PLAIN, THE, A

DETERMINERS: dict[str, tuple[tuple[str, tuple[str, ...], int, float], ...]] = {
    "singular": (
        ("the", ("the",), THE, 46), ("a", ("a", "an"), A, 30), ("this", ("this",), PLAIN, 6),
        ("that", ("that",), PLAIN, 4), ("my", ("my",), PLAIN, 5), ("your", ("your",), PLAIN, 2),
        ("his", ("his", "her"), HIS, 6), ("our", ("our",), PLAIN, 2),
        ("their", ("their",), PLAIN, 2),
        ("every", ("every", "each"), PLAIN, 2),
    ),
    "plural": (
        ("the", ("the",), THE, 48), ("this", ("these",), PLAIN, 6), ("that", ("those",), PLAIN, 4),
        ("my", ("my",), PLAIN, 4), ("his", ("his", "her"), HIS, 4), ("our", ("our",), PLAIN, 2),
        ("their", ("their",), PLAIN, 2), ("some", ("some", "several"), PLAIN, 7),
        ("many", ("many", "a lot of"), PLAIN, 6), ("all", ("all the",), PLAIN, 4),
        ("few", ("a few", "few"), PLAIN, 2), ("two", ("two",), NUMERAL, 5),
        ("three", ("three",), NUMERAL, 3), ("four", ("four",), NUMERAL, 2),
        ("five", ("five",), NUMERAL, 1.5), ("six", ("six",), NUMERAL, 1),
        ("ten", ("ten",), NUMERAL, 1),
        ("twelve", ("twelve", "a dozen"), NUMERAL, 0.6), ("twenty", ("twenty",), NUMERAL, 0.5),
        ("hundred", ("a hundred", "one hundred"), NUMERAL, 0.5),
    ),
    "uncounted": (
        ("the", ("the",), THE, 55), ("any", ("some", "a little"), PLAIN, 25),
        ("this", ("this",), PLAIN, 7), ("my", ("my",), PLAIN, 5), ("his", ("his", "her"), HIS, 5),
        ("our", ("our",), PLAIN, 3),
    ),
}  # fmt: skip
"""By number: name, English variants (of `a` and `his` the forms), role, weight."""

PRONOUNS = (
    ("I", 0, False, True, ("I", "me"), 30), ("he", 2, False, False, ("he", "him"), 22),
    ("she", 2, True, False, ("she", "her"), 17), ("we", 3, False, True, ("we", "us"), 13),
    ("you", 1, False, True, ("you", "you"), 10), ("they", 4, False, False, ("they", "them"), 12),
)  # fmt: skip
"""Name, agreement, feminine, may be dropped, subject and object form, weight."""

ADJUNCTS = (
    ("in", ("in",), "building place", 22), ("on", ("on", "on top of"), "furniture", 5),
    ("with", ("with", "together with"), "person", 9), ("with tool", ("with",), "tool", 4),
    ("for", ("for",), "person group", 7), ("for time", ("for",), "time", 5),
    ("through", ("through",), "place", 5), ("by", ("by",), "vehicle", 5),
    ("from", ("from",), "place building", 5), ("near", ("near", "close to"),
    "building place plant", 5),
    ("behind", ("behind",), "building furniture plant", 2), ("under", ("under", "beneath"),
    "furniture plant", 2),
    ("without", ("without",), "clothing tool", 2), ("during", ("during",), "time", 4),
    ("in front of", ("in front of", "before"), "building", 3), ("at", ("at",), "person", 2),
    ("because of", ("because of", "due to"), "idea", 3), ("on day", ("on",), "weekday", 4),
    ("since", ("since",), "time", 2),
)  # fmt: skip
"""Adverbial phrases: name, English variants, kinds of noun, weight."""

NOUN_MODIFIERS = (
    ("of", ("of",), "person group place building idea", 60), ("in", ("in",), "building place", 12),
    ("from", ("from",), "place", 8), ("with", ("with",), "person", 4), ("near", ("near", "by"),
    "building place", 6),
    ("about", ("about", "on"), "idea person animal", 5), ("against", ("against",), "group idea", 3),
    ("between", ("among",), "building plant", 2),
)  # fmt: skip

WHEN: tuple[tuple[str, tuple[str, ...], str, float], ...] = (
    ("yesterday", ("yesterday",), "past", 9), ("today", ("today",), "present future past", 6),
    ("tomorrow", ("tomorrow",), "future", 12), ("now", ("now", "at the moment"), "present", 8),
    ("last year", ("last year",), "past", 5), ("next week", ("next week",), "future", 6),
    ("long ago", ("long ago", "a long time ago"), "past", 3), ("every day", ("every day", "daily"),
    "present", 7),
    ("soon", ("soon",), "future", 7), ("this morning", ("this morning",), "past", 4),
    ("last night", ("last night",), "past", 4), ("one day", ("one day",), "past future", 3),
    ("nowadays", ("nowadays", "these days"), "present", 3),
    ("in the end", ("in the end", "eventually"), "past", 3),
    ("next month", ("next month",), "future", 3), ("later", ("later", "afterwards"),
    "past future", 3),
)  # fmt: skip

CONJUNCTIONS = (
    ("because", ("because", "since", "as"), 30), ("when", ("when",), 28), ("if", ("if",), 16),
    ("although", ("although", "though", "even though"), 10), ("before", ("before",), 7),
    ("after", ("after", "once"), 7), ("while", ("while", "as"), 6), ("so that", ("so that",), 4),
)  # fmt: skip

UNITS = (
    ("euro", ("euros",), "cost", 5), ("dollar", ("dollars",), "cost", 4),
    ("kilo", ("kilos", "kilograms"), "have", 3),
    ("people", ("inhabitants", "people"), "have", 3), ("metre", ("metres",), "have", 2),
)  # fmt: skip

WORDS: dict[str, tuple[str, ...]] = {
    "and": ("and",), "but": ("but", "yet"), "or": ("or",), "that clause": ("that",),
    "to do": ("to",), "who": ("who", "which", "that"), "not": ("not", "n't"),
    "Mr.": ("Mr.",), "Mrs.": ("Mrs.",),
    "year": ("in",), "what": ("what",), "who?": ("who",), "where": ("where",),
    "why": ("why", "for what reason"), "how": ("how", "in what way"),
    "yes": ("yes", "yes indeed", "yeah", "certainly"),
    "no": ("no", "not at all", "no way", "nope"),
    "thanks": ("thank you", "thanks", "many thanks", "thanks a lot"), "please": ("please",),
    "good morning": ("good morning", "hello", "good day", "hi"),
    "good night": ("good night", "sleep well", "sweet dreams", "good night to you"),
    "really?": ("really", "is that true", "indeed", "honestly"), "very": ("very", "really"),
    "too": ("too",),
    "more than": ("more than", "over"), "about n": ("about", "around"),
}  # fmt: skip
"""Everything else that the grammar names."""
