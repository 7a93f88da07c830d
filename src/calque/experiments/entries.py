"""How entries of tables are written, on every page alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from calque.experiments.claim import Claim, Verdict
from calque.experiments.paper import Entry, Section

SUMMARY = ("table", "claim", "what the paper says", "here")


def shown(entry: Entry) -> str:
    """An entry as text: two digits behind the point, thousands apart, a dash for none."""
    if entry is None:
        return "–"
    if isinstance(entry, str):
        return entry
    return f"{entry:,}" if isinstance(entry, int) else f"{entry:,.2f}"


def tally(claims: Iterable[Claim]) -> str:
    """How many claims there are of each verdict: `3 hold, 1 does not hold, 2 not significant`."""
    counts = Counter(claim.verdict for claim in claims)
    words = {
        Verdict.HOLDS: ("holds", "hold"),
        Verdict.FAILS: ("does not hold", "do not hold"),
        Verdict.OPEN: ("is not significant", "are not significant"),
    }
    return ", ".join(
        f"{counts[verdict]} {singular if counts[verdict] == 1 else many}"
        for verdict, (singular, many) in words.items()
        if counts[verdict]
    )


def summary(sections: Mapping[str, Section]) -> list[list[str]]:
    """A row per claim under the heads `SUMMARY`."""
    return [
        [name, claim.number, claim.text, claim.verdict.value]
        for name, section in sections.items()
        for claim in section.claims
    ]
