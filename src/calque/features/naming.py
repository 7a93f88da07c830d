"""The names of the sparse features of a derivation, read off its blocks.

The core knows features as keys only. This walk through a derivation is slow and made on demand, to
explain a translation or to write weights as text; a test holds its names against the core's keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from calque.features.classes import WordClasses
from calque.features.template import Slot, Template

START, END, UNKNOWN = "<s>", "</s>", "<unk>"
MOST_JUMP = 8
Span = tuple[int, int]


@dataclass(frozen=True)
class NamedGap:
    """A gap of a rule."""

    begin: int
    end: int
    """The source words that fill it, as places in the sentence."""
    before: str | None
    after: str | None
    """The target words of the rule beside it; none where it has none there."""
    order: str
    """Its place on either side of the rule."""


@dataclass(frozen=True)
class NamedStep:
    """One block of a derivation as text."""

    begin: int
    end: int
    target: tuple[str, ...]
    copied: tuple[bool, ...]
    """Per target word, whether it is the text of a source word outside the target vocabulary."""
    row: int
    """Of the block table; -1: copied or required."""
    orientation: int
    phrases: tuple[str, str] | None = None
    """Both sides as features of whole phrases name them, where that is more than their words."""
    gaps: tuple[NamedGap, ...] = ()


@dataclass(frozen=True)
class _Context:
    """Where a step stands in its derivation."""

    step: NamedStep
    previous: NamedStep | None
    history: tuple[tuple[str, bool], ...]
    """Target words before, and whether each was copied."""
    backward: str
    forward: str | None
    """None where the derivation goes on in a way that is not known."""


@dataclass(frozen=True, eq=False)
class Namer:
    """Names the features of templates."""

    templates: Mapping[str, Template]
    source_classes: WordClasses
    target_classes: WordClasses
    pairs: frozenset[Span] = frozenset()
    """Of block rows, that listed templates fire for."""

    def names(
        self,
        source: Sequence[str],
        steps: Sequence[NamedStep],
        *,
        ends: bool = True,
        sentence: Sequence[str] | None = None,
    ) -> list[list[str]]:
        """The names of the features of each step, one for every time that one fires.

        `source` is the whole sentence, `ends` is false for a derivation of its prefix. Where
        `source` has only some of its words, `sentence` has them all.
        """
        sentence = source if sentence is None else sentence
        per_step: list[list[str]] = []
        for context in _contexts(len(source), steps, ends):
            fired = [
                f"{template.name}:{' ||| '.join(values)}"
                for template in self.templates.values()
                if self._fires(template, context)
                for values in self._values(template, source, context, sentence)
            ]
            per_step.append(fired)
        return per_step

    def _fires(self, template: Template, context: _Context) -> bool:
        if context.step.row < 0 and not template.copies:
            return False
        if template.adjacent and "RLN"[context.step.orientation] == "N":
            return False
        if not template.listed:
            return True
        before = context.previous.row if context.previous else -1
        return (before, context.step.row) in self.pairs

    def _values(
        self,
        template: Template,
        source: Sequence[str],
        context: _Context,
        sentence: Sequence[str],
    ) -> Iterator[tuple[str, ...]]:
        """Every combination of values; a position per side and one in the target is shared."""
        slots, step = template.parsed, context.step
        if template.is_of_gaps:
            for gap in step.gaps:
                values = (self._gap_value(slot, gap, sentence) for slot in slots)
                yield tuple(values)
            return
        has_ngram = any(slot.name.startswith("target.ngram") for slot in slots)

        def bind(at: int, last: dict[str, int], end: int) -> Iterator[tuple[str, ...]]:
            if at == len(slots):
                yield ()
                return
            slot = slots[at]
            if slot.name == "sentence.source":
                for i in range(len(sentence)):
                    for rest in bind(at + 1, last, end):
                        yield (self._source(slot, sentence, i), *rest)
                return
            if slot.name in ("each.source", "each.target"):
                side = slot.name.removeprefix("each.")
                n = step.end - step.begin if side == "source" else len(step.target)
                for i in range(last[side] + 1, n):
                    word = self._word(slot, source, context, i)
                    for rest in bind(at + 1, {**last, side: i}, end):
                        yield (word, *rest)
                return
            value = self._value(slot, source, context, end)
            if value is not None:
                for rest in bind(at + 1, last, end):
                    yield (*value, *rest)

        for end in range(len(step.target)) if has_ngram else (0,):
            yield from bind(0, {"source": -1, "target": -1}, end)

    def _gap_value(self, slot: Slot, gap: NamedGap, sentence: Sequence[str]) -> str:
        places = {
            "gap.first": gap.begin,
            "gap.last": gap.end - 1,
            "gap.left": gap.begin - 1,
            "gap.right": gap.end,
        }
        if slot.name in places:
            return self._source(slot, sentence, places[slot.name])
        if slot.name in ("gap.before", "gap.after"):
            word = gap.before if slot.name == "gap.before" else gap.after
            if word is None:
                return START if slot.name == "gap.before" else END
            return self.target_classes.value(slot.level, word)
        return gap.order if slot.name == "gap.order" else str(gap.end - gap.begin)

    def _word(self, slot: Slot, source: Sequence[str], context: _Context, i: int) -> str:
        """Word i of the block."""
        if slot.name == "each.source":
            return self.source_classes.value(slot.level, source[context.step.begin + i])
        return self._target(slot, context, i)

    def _target(self, slot: Slot, context: _Context, i: int) -> str:
        """Target word i of the block; below 0 those before it."""
        words = (*context.history, *zip(context.step.target, context.step.copied, strict=True))
        at = len(context.history) + i
        if at < 0:
            return START
        word, copied = words[at]
        if copied:
            return word if slot.level == "word" else UNKNOWN
        return self.target_classes.value(slot.level, word)

    def _source(self, slot: Slot, source: Sequence[str], i: int) -> str:
        if i < 0 or i >= len(source):
            return START if i < 0 else END
        return self.source_classes.value(slot.level, source[i])

    def _value(
        self, slot: Slot, source: Sequence[str], context: _Context, end: int
    ) -> tuple[str, ...] | None:
        step, previous = context.step, context.previous
        last_end = previous.end if previous else 0
        name, _, k = slot.name.partition("ngram.")
        if k:
            return (self._target(slot, context, end - int(k)),)
        if slot.kind.is_block or slot.kind.is_phrase:
            phrases = _phrases(source, previous if name.startswith("previous.") else step)
            if slot.kind.is_block:
                return phrases
            return (phrases[name.endswith("target")],)
        places = {
            "source.first": step.begin,
            "source.last": step.end - 1,
            "source.left": step.begin - 1,
            "source.right": step.end,
            "previous.source.last": last_end - 1,
        }
        if name in places:
            return (self._source(slot, source, places[name]),)
        ends = {
            "target.first": 0,
            "target.last": len(step.target) - 1,
            "target.previous": -1,
            "target.previous2": -2,
        }
        if name in ends:
            return (self._target(slot, context, ends[name]),)
        if name == "hierarchical.forward":
            return None if context.forward is None else (context.forward,)
        others = {
            "source.length": str(step.end - step.begin),
            "target.length": str(len(step.target)),
            "orientation": "RLN"[step.orientation],
            "hierarchical.backward": context.backward,
            "jump": str(max(-MOST_JUMP, min(MOST_JUMP, step.begin - last_end))),
        }
        return (others[name],)


def _phrases(source: Sequence[str], step: NamedStep | None) -> tuple[str, str]:
    if step is None:
        return START, START
    if step.phrases is not None:
        return step.phrases
    return " ".join(source[step.begin : step.end]), " ".join(step.target)


def _contexts(n_words: int, steps: Sequence[NamedStep], ends: bool) -> Iterator[_Context]:
    """The steps with what stands around them; hierarchical orientations from merged blocks."""
    history: tuple[tuple[str, bool], ...] = ()
    merged: list[Span] = [(0, 0)]
    covered: set[int] = set()
    previous: NamedStep | None = None
    for i, step in enumerate(steps):
        begin, end = step.begin, step.end
        backward = _touch(merged[-1], (begin, end))
        while merged and _touch(merged[-1], (begin, end)) != "D":
            last = merged.pop()
            begin, end = min(begin, last[0]), max(end, last[1])
        merged.append((begin, end))
        covered |= set(range(step.begin, step.end))
        forward: str | None = None
        if i + 1 < len(steps):
            following = steps[i + 1]
            forward = "D"
            if following.begin >= step.end and step.end not in covered:
                forward = "M"
            elif following.end <= step.begin and step.begin - 1 not in covered:
                forward = "S"
        elif ends:
            forward = "M" if step.end == n_words else "D"
        yield _Context(step, previous, history, backward, forward)
        history += tuple(zip(step.target, step.copied, strict=True))
        previous = step


def _touch(merged: Span, span: Span) -> str:
    if span[0] == merged[1]:
        return "M"
    return "S" if span[1] == merged[0] else "D"
