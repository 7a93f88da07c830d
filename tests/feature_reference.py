"""Slow references for the families of sparse features: the names that a derivation gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Protocol

from calque.features import WordClasses


@dataclass(frozen=True)
class Block:
    """One block of a derivation, as text."""

    begin: int
    end: int
    target: tuple[str, ...]
    row: int = 0
    copied: bool = False


@dataclass(frozen=True)
class Derived:
    """Blocks in target order over a source sentence."""

    source: tuple[str, ...]
    blocks: tuple[Block, ...]
    source_classes: WordClasses
    target_classes: WordClasses
    pairs: frozenset[tuple[int, int]] = frozenset()
    ends: bool = True

    def s(self, block: Block) -> str:
        return " ".join(self.source[block.begin : block.end])

    def bigrams(self) -> Iterator[tuple[Block | None, Block]]:
        return zip((None, *self.blocks), self.blocks, strict=False)

    def history(self, i: int) -> list[tuple[str, bool]]:
        """The target words before block i, after two boundaries, and whether each was copied."""
        words = [(w, block.copied) for block in self.blocks[:i] for w in block.target]
        return [("<s>", False), ("<s>", False), *words]

    def seen_as(self, level: str, word: str, copied: bool) -> str:
        """A target word at a level; copied words have no class."""
        if copied and level != "word":
            return "<unk>"
        return word if word == "<s>" else self.target_classes.value(level, word)


def t(block: Block) -> str:
    return " ".join(block.target)


def jump(before: Block | None, block: Block) -> int:
    return max(-8, min(8, block.begin - (before.end if before else 0)))


def orientation(before: Block | None, block: Block) -> str:
    begin, end = (before.begin, before.end) if before else (0, 0)
    if block.begin == end:
        return "R"
    return "L" if block.end == begin else "N"


def phrase_pair(name: str, copies: bool = True) -> Callable[[Derived], Iterator[str]]:
    return lambda d: (f"{name}:{d.s(b)} ||| {t(b)}" for b in d.blocks if copies or not b.copied)


def p2(d: Derived) -> Iterator[str]:
    for before, b in d.bigrams():
        yield f"P2:{d.s(b)} ||| {t(b)} ||| {orientation(before, b)}"


def p3(d: Derived) -> Iterator[str]:
    for before, b in d.bigrams():
        yield f"P3:{t(before) if before else '<s>'} ||| {t(b)}"


def p4(d: Derived) -> Iterator[str]:
    for before, b in d.bigrams():
        yield f"P4:{d.s(before) if before else '<s>'} ||| {d.s(b)}"


def p5(d: Derived) -> Iterator[str]:
    return (f"P5:{t(b)} ||| {b.end - b.begin}" for b in d.blocks)


def word_pairs(name: str, copies: bool = True) -> Callable[[Derived], Iterator[str]]:
    return lambda d: (
        f"{name}:{s} ||| {w}"
        for b in d.blocks
        if copies or not b.copied
        for s in d.source[b.begin : b.end]
        for w in b.target
    )


def w2(d: Derived) -> Iterator[str]:
    for before, b in d.bigrams():
        yield f"W2.jump:{jump(before, b)}"
        yield f"W2.first:{jump(before, b)} ||| {d.source[b.begin]}"
        yield f"W2.last:{jump(before, b)} ||| {d.source[before.end - 1] if before else '<s>'}"


def w3(d: Derived) -> Iterator[str]:
    words = [word for word, _ in d.history(len(d.blocks))]
    for i in range(2, len(words)):
        yield f"W3.unigram:{words[i]}"
        yield f"W3.bigram:{words[i - 1]} ||| {words[i]}"
        yield f"W3.trigram:{words[i - 2]} ||| {words[i - 1]} ||| {words[i]}"


def w4(d: Derived) -> Iterator[str]:
    for before, b in d.bigrams():
        yield f"W4:{before.target[-1] if before else '<s>'} ||| {b.target[0]}"


def triplets(d: Derived, *, two_source: bool) -> Iterator[str]:
    for b in d.blocks:
        source = d.source[b.begin : b.end]
        if two_source:
            for (x, y), w in product(combinations(source, 2), b.target):
                yield f"source-triplets:{x} ||| {y} ||| {w}"
        else:
            for x, (v, w) in product(source, combinations(b.target, 2)):
                yield f"target-triplets:{x} ||| {v} ||| {w}"


def hierarchical(d: Derived) -> Iterator[str]:
    """Backward from what all blocks before cover in one piece; forward from right to left.

    That is the definition (Galley & Manning 2008), which a search from left to right can follow
    only where the blocks can be built by merging neighbours. For other orders, and for prefixes,
    the rule of the search is written down again.
    """
    ways = hierarchical_ways(d.blocks, len(d.source), d.ends)
    for b, (backward, forward) in zip(d.blocks, ways, strict=True):
        if b.copied:
            continue
        name = f"{d.s(b)} ||| {t(b)}"
        yield f"hierarchical.backward:{name} ||| {backward}"
        if forward is not None:
            yield f"hierarchical.forward:{name} ||| {forward}"


class Span(Protocol):
    """Source words [begin, end)."""

    @property
    def begin(self) -> int: ...
    @property
    def end(self) -> int: ...


def hierarchical_ways(
    blocks: Sequence[Span], n_words: int, ends: bool
) -> Iterator[tuple[str, str | None]]:
    """Where each block lies towards merged blocks before and behind it: M, S or D.

    What comes behind the last block of a prefix is not known.
    """
    after = merged_from_the_right(blocks, n_words)
    definition = ends and builds_by_merging(blocks)
    for i, b in enumerate(blocks):
        begin, end = merged_before(blocks[:i])
        backward = "M" if b.begin == end else "S" if b.end == begin else "D"
        forward: str | None = None
        covered = {w for block in blocks[: i + 1] for w in range(block.begin, block.end)}
        if definition:
            begin, end = after[i]
            forward = "M" if b.end == begin else "S" if b.begin == end else "D"
        elif i + 1 < len(blocks):
            following = blocks[i + 1]
            right = following.begin >= b.end and b.end not in covered
            left = following.end <= b.begin and b.begin - 1 not in covered
            forward = "M" if right else "S" if left else "D"
        elif ends:
            forward = "M" if b.end == n_words else "D"
        yield backward, forward


def merged_before(blocks: Sequence[Span]) -> tuple[int, int]:
    """The longest run of last blocks that covers one stretch of the source, found from scratch.

    The sentence begins with an empty block.
    """
    best = (blocks[-1].begin, blocks[-1].end) if blocks else (0, 0)
    for n in range(1, len(blocks) + 1):
        words = sorted(w for block in blocks[-n:] for w in range(block.begin, block.end))
        if words == list(range(words[0], words[-1] + 1)):
            best = (words[0], words[-1] + 1)
    return best


def merged_from_the_right(blocks: Sequence[Span], n_words: int) -> list[tuple[int, int]]:
    """What each block finds behind it in the target: a parser that reads from the end of it.

    The sentence ends with an empty block.
    """
    stack = [(n_words, n_words)]
    found = []
    for block in reversed(blocks):
        found.append(stack[-1])
        stack.append((block.begin, block.end))
        reduce_stack(stack)
    return found[::-1]


def builds_by_merging(blocks: Sequence[Span]) -> bool:
    """Whether neighbours can be merged, two by two, until one block is left."""
    stack: list[tuple[int, int]] = []
    for block in blocks:
        stack.append((block.begin, block.end))
        reduce_stack(stack)
    return len(stack) <= 1


def reduce_stack(stack: list[tuple[int, int]]) -> None:
    while len(stack) > 1 and (stack[-1][0] == stack[-2][1] or stack[-1][1] == stack[-2][0]):
        (a, b), (c, d) = stack.pop(), stack.pop()
        stack.append((min(a, c), max(b, d)))


BUDGET = {"word": 5, "char": 3, "brown": 3, "brown6": 2, "brown4": 2, "tag": 2, "type": 1}
TARGET_LEVELS = ("word", "brown", "brown6", "brown4", "tag")


def wordedges(d: Derived, max_slots: int = 2) -> Iterator[str]:
    padded = ("<s>", *d.source, "</s>")
    for b in d.blocks:
        words = {
            "source.first": (padded[b.begin + 1], "char.first"),
            "source.last": (padded[b.end], "char.last"),
            "source.left": (padded[b.begin], "char.last"),
            "source.right": (padded[b.end + 1], "char.first"),
        }
        values: dict[str, dict[str, str]] = {}
        for slot, (word, char) in words.items():
            values[slot] = {
                level: d.source_classes.value(char if level == "char" else level, word)
                for level in BUDGET
            }
        for slot, word in (("target.first", b.target[0]), ("target.last", b.target[-1])):
            values[slot] = {level: d.seen_as(level, word, b.copied) for level in TARGET_LEVELS}
        for n in range(1, max_slots + 1):
            for slots in combinations(values, n):
                for levels in product(*(values[slot] for slot in slots)):
                    if sum(BUDGET[level] for level in levels) <= 10:
                        pairs = list(zip(slots, levels, strict=True))
                        name = "wordedges." + "+".join(f"{s}@{level}" for s, level in pairs)
                        text = " ||| ".join(values[s][level] for s, level in pairs)
                        yield f"{name}:{text}"
                        yield f"{name}+source.length:{text} ||| {b.end - b.begin}"


def rule_bigram(d: Derived) -> Iterator[str]:
    for before, b in d.bigrams():
        first = f"{d.s(before)} ||| {t(before)}" if before else "<s> ||| <s>"
        yield f"rule-bigram:{first} ||| {d.s(b)} ||| {t(b)}"


def rule_history(d: Derived) -> Iterator[str]:
    for i, b in enumerate(d.blocks):
        for level in TARGET_LEVELS:
            last = " ||| ".join(d.seen_as(level, *word) for word in d.history(i)[-2:])
            yield f"rule-history.{level}:{last} ||| {d.s(b)} ||| {t(b)}"


def block_bigram(d: Derived) -> Iterator[str]:
    for before, b in d.bigrams():
        touches = before and (b.begin == before.end or b.end == before.begin)
        if before and touches and (before.row, b.row) in d.pairs:
            yield f"block-bigram:{d.s(before)} ||| {t(before)} ||| {d.s(b)} ||| {t(b)}"


def source_class(d: Derived, level: str, at: int) -> str:
    """The class of the source word at a place; beside the sentence that of its boundary."""
    word = ("<s>", *d.source, "</s>")[at + 1]
    return d.source_classes.value(level, word)


def orientation_classes(d: Derived) -> Iterator[str]:
    for before, b in d.bigrams():
        way = orientation(before, b)
        first, last, left, right = (
            source_class(d, "brown6", at) for at in (b.begin, b.end - 1, b.begin - 1, b.end)
        )
        target = [d.seen_as("brown6", b.target[at], b.copied) for at in (0, -1)]
        previous = source_class(d, "brown", before.end - 1 if before else -1)
        begin = source_class(d, "brown", b.begin)
        yield f"orientation-classes.first:{first} ||| {target[0]} ||| {way}"
        yield f"orientation-classes.last:{last} ||| {target[1]} ||| {way}"
        yield f"orientation-classes.previous:{begin} ||| {previous} ||| {way}"
        yield f"orientation-classes.left:{left} ||| {first} ||| {way}"
        yield f"orientation-classes.right:{last} ||| {right} ||| {way}"


def edge_classes(d: Derived) -> Iterator[str]:
    for b in d.blocks:
        first, last, left, right = (
            source_class(d, "brown", at) for at in (b.begin, b.end - 1, b.begin - 1, b.end)
        )
        begin, end = (d.seen_as("brown", b.target[at], b.copied) for at in (0, -1))
        yield f"edge-classes.firsts:{first} ||| {begin}"
        yield f"edge-classes.lasts:{last} ||| {end}"
        yield f"edge-classes.source:{first} ||| {last}"
        yield f"edge-classes.target:{begin} ||| {end}"
        yield f"edge-classes.left:{left} ||| {first}"
        yield f"edge-classes.right:{last} ||| {right}"


def lexical_classes(d: Derived) -> Iterator[str]:
    for b in d.blocks:
        if b.copied:
            continue
        for at, w in product(range(b.begin, b.end), b.target):
            s, s_class = d.source[at], source_class(d, "brown", at)
            w_class = d.target_classes.value("brown", w)
            yield f"lexical-classes.source:{s_class} ||| {w}"
            yield f"lexical-classes.target:{s} ||| {w_class}"
            yield f"lexical-classes.both:{s_class} ||| {w_class}"


def lengths(d: Derived) -> Iterator[str]:
    for before, b in d.bigrams():
        both = f"{b.end - b.begin} ||| {len(b.target)}"
        yield f"lengths.both:{both}"
        yield f"lengths.orientation:{both} ||| {orientation(before, b)}"


def neighbours(d: Derived) -> Iterator[str]:
    padded = ("<s>", *d.source, "</s>")
    for b in d.blocks:
        if not b.copied:
            yield f"neighbours.left:{padded[b.begin]} ||| {d.s(b)} ||| {t(b)}"
            yield f"neighbours.right:{d.s(b)} ||| {t(b)} ||| {padded[b.end + 1]}"


def context(d: Derived) -> Iterator[str]:
    for b in d.blocks:
        if not b.copied:
            yield from (f"context:{s} ||| {w}" for s in d.source for w in b.target)


def placement(d: Derived) -> Iterator[str]:
    for before, b in d.bigrams():
        yield f"placement.orientation:{orientation(before, b)}"
        yield f"placement.jump:{jump(before, b)}"
        yield f"placement.source:{b.end - b.begin}"
        yield f"placement.target:{len(b.target)}"


REFERENCES: dict[str, Callable[[Derived], Iterator[str]]] = {
    "P1": phrase_pair("P1"),
    "P2": p2,
    "P3": p3,
    "P4": p4,
    "P5": p5,
    "W1": word_pairs("W1"),
    "W2": w2,
    "W3": w3,
    "W4": w4,
    "phrase-pair": phrase_pair("phrase-pair", copies=False),
    "lexical": word_pairs("lexical", copies=False),
    "source-triplets": lambda d: triplets(d, two_source=True),
    "target-triplets": lambda d: triplets(d, two_source=False),
    "hierarchical": hierarchical,
    "ruleid": phrase_pair("ruleid"),
    "wordedges": wordedges,
    "rule-bigram": rule_bigram,
    "rule-history": rule_history,
    "block-bigram": block_bigram,
    "orientation-classes": orientation_classes,
    "edge-classes": edge_classes,
    "lexical-classes": lexical_classes,
    "lengths": lengths,
    "neighbours": neighbours,
    "context": context,
    "placement": placement,
}


def names(families: tuple[str, ...], derived: Derived) -> Counter[str]:
    """Every name that fires, and how often."""
    return Counter(name for family in families for name in REFERENCES[family](derived))
