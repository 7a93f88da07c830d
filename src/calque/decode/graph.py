from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from calque import _core
from calque.decode.translation import ORIENTATIONS, target_words
from calque.text import Vocabulary


@dataclass(frozen=True)
class GraphNode:
    """A state of the search: partial translations that go on alike."""

    covered: tuple[int, ...]
    """The source words that are translated, counted from 0."""
    score: float
    """Of the best path to here."""
    complete: bool
    """A translation ends here; the score includes the end of the sentence."""


@dataclass(frozen=True)
class GraphEdge:
    """One block put to a partial translation."""

    begin_node: int
    end_node: int
    begin: int
    """First source word, counted from 0."""
    end: int
    """One beyond the last source word."""
    target: tuple[str, ...]
    orientation: str
    score: float
    """What the step adds: the edges of a path add up to the score of its derivation."""


@dataclass(frozen=True)
class TranslationGraph:
    """Every derivation that the search of one sentence kept, as paths from node 0.

    Only what lies on a path to a complete translation is there. Nodes come after those that lead
    to them; edges are in the order of the nodes they lead to, the best one first.
    """

    source: tuple[str, ...]
    """The source words as the model knows them."""
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]

    @classmethod
    def read_off(
        cls, graph: _core.TranslationGraph, source: Sequence[str], vocabulary: Vocabulary
    ) -> TranslationGraph:
        """The graph that the core found, with words for ids."""
        nodes = (GraphNode(tuple(n.covered), n.score, n.complete) for n in graph.nodes)
        edges = (
            GraphEdge(
                begin_node=edge.begin_node,
                end_node=edge.end_node,
                begin=edge.step.begin,
                end=edge.step.end,
                target=target_words(edge.step, source, vocabulary),
                orientation=ORIENTATIONS[edge.step.orientation],
                score=edge.score,
            )
            for edge in graph.edges
        )
        return cls(tuple(source), tuple(nodes), tuple(edges))

    def __repr__(self) -> str:
        size = f"{len(self.nodes):,} nodes, {len(self.edges):,} edges"
        return f"<TranslationGraph of {' '.join(self.source)!r}: {size}>"

    def n_paths(self) -> int:
        """The number of derivations in the graph, exactly."""
        paths = [0] * len(self.nodes)
        paths[0] = 1
        for edge in self.edges:
            paths[edge.end_node] += paths[edge.begin_node]
        return sum(n for n, node in zip(paths, self.nodes, strict=True) if node.complete)

    def best_path(self) -> list[GraphEdge]:
        """The edges of the derivation of highest score, in the order of the translation."""
        first: dict[int, GraphEdge] = {}
        for edge in self.edges:
            first.setdefault(edge.end_node, edge)
        ends = [i for i, node in enumerate(self.nodes) if node.complete]
        at = max(ends, key=lambda i: self.nodes[i].score)
        path: list[GraphEdge] = []
        while at in first:
            path.append(first[at])
            at = first[at].begin_node
        return path[::-1]

    def to_json(self) -> dict[str, Any]:
        """Lists and numbers for JSON, under the names of the attributes."""
        return asdict(self)

    def to_text(self, *, dot: bool) -> str:
        """One line of JSON or, with `dot`, what `to_dot` gives."""
        return self.to_dot() if dot else json.dumps(self.to_json(), ensure_ascii=False) + "\n"

    def to_dot(self) -> str:
        """The graph in the language of Graphviz; the best path is bold."""
        best = set(map(id, self.best_path()))
        lines = ["digraph translations {", "  rankdir=LR;", "  node [shape=circle];"]
        for i, node in enumerate(self.nodes):
            # A dot per source word, filled where it is translated.
            words = set(node.covered)
            label = "".join("●" if w in words else "○" for w in range(len(self.source)))
            shape = ", shape=doublecircle" if node.complete else ""
            lines.append(
                f"  n{i} [label={_quoted(label)}, tooltip={_quoted(f'{node.score:.4g}')}{shape}];"
            )
        for edge in self.edges:
            source = " ".join(self.source[edge.begin : edge.end])
            label = f"{source} → {' '.join(edge.target)}\n{edge.score:.2f}"
            style = ", style=bold" if id(edge) in best else ""
            ends = f"n{edge.begin_node} -> n{edge.end_node}"
            lines.append(f"  {ends} [label={_quoted(label)}{style}];")
        return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
