"""Examples as a stream, the same from the same seed however many processes draw them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from random import Random

from calque.config.corpus import CorpusOptions
from calque.config.fill import fill
from calque.data.example import PAIRS, Example
from calque.data.language import Language
from calque.data.lexicon import Lexicon
from calque.data.links import LinkedGrammar, Links, read_links
from calque.data.oruka import Oruka
from calque.data.phrases import DOMINANT
from calque.data.sentences import Grammar
from calque.data.velian import Velian
from calque.errors import OptionError, hint
from calque.parallel import n_workers, ordered_map

CHUNK = 1_000
"""Examples that share a random stream; the unit of work of a process."""
SPLITS = ("train", "dev", "test")
N_REFERENCES = 4
_TRIES, _FREE_AFTER = 24, 8

_Row = tuple[str, tuple[str, ...], Links]


def generate(
    pair: str, split: str, size: int, seed: int = CorpusOptions.seed, workers: int = 1
) -> Iterator[Example]:
    """`size` examples of a pair and split, lazily; a smaller size gives a prefix of a larger one.

    Each thousand has random streams of its own, derived from the seed, the pair, the split and
    its number, so that neither the number of workers nor the size changes an example. Raises
    `OptionError` for names and sizes that do not exist.
    """
    return _stream(pair, split, size, seed, workers, linked=False)


def generate_aligned(
    pair: str, split: str, size: int, seed: int = CorpusOptions.seed, workers: int = 1
) -> Iterator[Example]:
    """The examples of `generate`, each with the gold links of its first target; far slower."""
    return _stream(pair, split, size, seed, workers, linked=True)


def explain(pair: str, split: str, index: int, seed: int = CorpusOptions.seed) -> Example:
    """The example at `index` (from 0) of `generate`, with its gold links."""
    _check(pair, split, index + 1, seed)
    rows = _chunk(pair, split, seed, True, index // CHUNK, index % CHUNK + 1)
    return Example(*rows[-1])


def _stream(
    pair: str, split: str, size: int, seed: int, workers: int, linked: bool
) -> Iterator[Example]:
    _check(pair, split, size, seed)
    work = functools.partial(_numbered_chunk, pair, split, seed, linked)
    chunks = ((start // CHUNK, min(CHUNK, size - start)) for start in range(0, size, CHUNK))
    needed = min(n_workers(workers), -(-size // CHUNK))
    return _examples(ordered_map(work, chunks, needed))


def _examples(chunks: Iterable[list[_Row]]) -> Iterator[Example]:
    for rows in chunks:
        for source, targets, links in rows:
            yield Example(source, targets, links)


def _check(pair: str, split: str, size: int, seed: int) -> None:
    _check_name("pair", pair, PAIRS)
    _check_name("split", split, SPLITS)
    fill(CorpusOptions(), {split: size, "seed": seed}, "corpus")


def _check_name(what: str, name: str, valid: Iterable[str]) -> None:
    valid = list(valid)
    if name in valid:
        return
    raise OptionError(f"corpus: unknown {what} '{name}'; {hint(str(name), valid)}")


@functools.cache
def lexicon(pair: str) -> Lexicon:
    """The lexicon of a pair, built once in a process and never changed."""
    language: Language = Velian() if PAIRS[pair].source == Velian.code else Oruka()
    return Lexicon(language)


def _numbered_chunk(
    pair: str, split: str, seed: int, linked: bool, chunk: tuple[int, int]
) -> list[_Row]:
    return _chunk(pair, split, seed, linked, *chunk)


def _chunk(pair: str, split: str, seed: int, linked: bool, number: int, size: int) -> list[_Row]:
    """The first `size` examples of one chunk."""
    # Text seeds go through SHA-512: no dependence on the hashing of this process.
    name = f"{seed} {pair} {split} {number}"
    content, style = Random(f"{name} content"), Random(f"{name} style")
    grammar = (LinkedGrammar if linked else Grammar)(lexicon(pair), split)
    grammar.listen(content, style)
    if split != "train":
        return [_with_references(grammar, content, linked) for _ in range(size)]
    if linked:
        return [_linked(grammar) for _ in range(size)]
    rows: list[_Row] = []
    for _ in range(size):
        source, target = grammar.sentence()
        rows.append((source, (target,), ()))
    return rows


def _linked(grammar: Grammar) -> _Row:
    source, target, links = read_links(*grammar.sentence())
    return source, (target,), links


def _with_references(grammar: Grammar, content: Random, linked: bool) -> _Row:
    """One sentence said again until four wordings differ, or it is clear that it has fewer."""
    state = content.getstate()
    source, targets, links = _linked(grammar)
    distinct = {targets[0]: None}
    for n_tries in range(_TRIES):
        if len(distinct) == N_REFERENCES:
            break
        if n_tries >= _FREE_AFTER:  # a sentence with few wordings: look for the rarer ones
            grammar.dominant = 0.5
        content.setstate(state)
        distinct[_linked(grammar)[1][0]] = None
    grammar.dominant = DOMINANT
    wordings = list(distinct)
    references = tuple(wordings[i % len(wordings)] for i in range(N_REFERENCES))
    return source, references, links if linked else ()
