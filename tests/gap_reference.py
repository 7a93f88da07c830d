"""Slow reference for sparse features of gaps: the names that a rule gives at its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from chart_reference import GAPS

from calque import _core
from calque.features import Template, WordClasses
from calque.text import Vocabulary

OF_GAPS = ("gap-order", "gap-order-classes")
"""The families that look at gaps."""
BESIDE_GAPS = (
    Template("gap-begins", ("gap.left@brown", "gap.first", "gap.before")),
    Template("gap-ends", ("gap.last@brown", "gap.right", "gap.after@brown")),
)
"""What no family looks at: target words of a rule beside its gaps."""


def gap_names(
    steps: Sequence[_core.Step],
    step: _core.Step,
    source: Sequence[int],
    words: Sequence[str],
    vocabulary: Vocabulary,
    classes: WordClasses,
) -> Counter[str]:
    """What fires for the gaps of a step whose rule has this source side, and how often."""
    names: Counter[str] = Counter()
    padded = ["<s>", *words, "</s>"]
    for gap, filler in zip(GAPS, (steps[at] for at in step.gaps if at >= 0), strict=False):
        left, right = padded[filler.begin], padded[filler.end + 1]
        first, last = words[filler.begin], words[filler.end - 1]
        sides = (list(source), list(step.target))
        order = "".join(
            {(True, True): "A", (True, False): "F", (False, True): "L"}.get(
                (side[0] == gap, side[-1] == gap), "M"
            )
            for side in sides
        )
        target = [0, *sides[1], 0]
        at = target.index(gap)
        before, after = (
            boundary if target[i] in (0, *GAPS) else vocabulary.word(target[i])
            for i, boundary in ((at - 1, "<s>"), (at + 1, "</s>"))
        )

        def c(word: str, level: str = "brown") -> str:
            return word if word in ("<s>", "</s>") else classes.value(level, word)

        names.update(
            [
                f"gap-order.left:{left} ||| {order}",
                f"gap-order.right:{right} ||| {order}",
                f"gap-order.first:{first} ||| {order}",
                f"gap-order.last:{last} ||| {order}",
                f"gap-order.length:{filler.end - filler.begin} ||| {order}",
                f"gap-order-classes.left:{c(left, 'brown6')} ||| {c(first, 'brown6')} ||| {order}",
                f"gap-order-classes.right:{c(last, 'brown6')} ||| {c(right, 'brown6')} ||| {order}",
                f"gap-begins:{c(left)} ||| {first} ||| {before}",
                f"gap-ends:{c(last)} ||| {right} ||| {c(after)}",
            ]
        )
    return names
