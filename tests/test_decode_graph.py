"""The translation graph holds the derivations of the search, no more and no fewer."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Run, done
from decode_reference import Rules, as_source, derivations, tiny_model
from hypothesis import given, settings
from test_decode_exact import random_weights, rules, search_options, seeds, sources

from calque.data import CorpusFiles
from calque.decode import Decoder, TranslationGraph, load
from calque.text import read_lines

few = settings(max_examples=60, deadline=None)


def graph_of(seed: int, source: list[int], by: Rules) -> tuple[TranslationGraph, Decoder]:
    parts = tiny_model(seed)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    found = decoder.graph(as_source([source]), random_weights(seed), search_options(by))
    words = [f"s{word}" for word in source]
    return TranslationGraph.read_off(found, words, parts.vocabulary), decoder


@few
@given(seeds, sources, rules)
def test_without_pruning_every_derivation_is_one_path(
    seed: int, source: list[int], by: Rules
) -> None:
    graph, _ = graph_of(seed, source, by)
    assert graph.n_paths() == len(list(derivations(tiny_model(seed), source, by)))


@few
@given(seeds, sources, rules)
def test_the_best_path_is_the_best_derivation(seed: int, source: list[int], by: Rules) -> None:
    graph, decoder = graph_of(seed, source, by)
    [decoded] = decoder.decode(as_source([source]), random_weights(seed), search_options(by))
    best, path = decoded.derivations[0], graph.best_path()
    assert sum(edge.score for edge in path) == pytest.approx(best.score, abs=1e-6)
    assert [(edge.begin, edge.end) for edge in path] == [(s.begin, s.end) for s in best.steps]


@few
@given(seeds, sources, rules)
def test_an_edge_covers_its_span_and_every_node_leads_to_an_end(
    seed: int, source: list[int], by: Rules
) -> None:
    graph, _ = graph_of(seed, source, by)
    assert graph.nodes[0].covered == ()
    for edge in graph.edges:
        before, after = graph.nodes[edge.begin_node], graph.nodes[edge.end_node]
        span = set(range(edge.begin, edge.end))
        assert not span & set(before.covered)
        assert span | set(before.covered) == set(after.covered)
        assert before.score + edge.score <= after.score + 1e-9
    ahead = {edge.begin_node for edge in graph.edges}
    for i, node in enumerate(graph.nodes):
        assert node.complete == (len(node.covered) == len(source))
        assert (i in ahead) != node.complete


def check_dot(text: str) -> int:
    """The number of edges of a Graphviz text, whose brackets, quotes and names must be right."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text, flags=re.DOTALL)
    assert bare.replace('""', "").count('"') == 0
    assert bare.count("{") == bare.count("}") == 1
    assert bare.count("[") == bare.count("]")
    declared = set(re.findall(r"^  (n\d+) \[", bare, re.MULTILINE))
    edges = re.findall(r"^  (n\d+) -> (n\d+) \[", bare, re.MULTILINE)
    assert {end for edge in edges for end in edge} <= declared
    return len(edges)


def test_a_graph_is_written_as_json_and_for_graphviz(trained: Path, corpus: CorpusFiles) -> None:
    translator = load(trained)
    sentence = next(iter(read_lines(corpus.test_source)))
    graph = translator.graph(sentence, stack_size=20, distortion_limit=2)
    best = translator.translate(sentence, stack_size=20, distortion_limit=2)
    words = [word for edge in graph.best_path() for word in edge.target]
    assert tuple(words) == best.words
    again = json.loads(json.dumps(graph.to_json()))
    assert len(again["nodes"]) == len(graph.nodes)
    assert again["edges"][0]["target"] == list(graph.edges[0].target)
    assert check_dot(graph.to_dot()) == len(graph.edges)


def test_odd_words_do_not_break_the_graphviz_text() -> None:
    graph, _ = graph_of(1, [3, 4, 7], Rules())
    odd = replace(graph, source=('"', "\\", 'a\\"]}'))
    assert check_dot(odd.to_dot()) == len(graph.edges)


def test_an_empty_sentence_has_one_node(trained: Path) -> None:
    graph = load(trained).graph("")
    assert (len(graph.nodes), graph.edges, graph.n_paths()) == (1, (), 1)
    assert graph.best_path() == []


def test_translate_writes_a_graph_per_sentence(
    verb: Run, trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    text = "\n".join(list(read_lines(corpus.test_source))[:3])
    plain = done(verb("translate", "--model", trained, "-q", stdin=text))
    for name in ("graphs.jsonl", "graphs.dot"):
        out = tmp_path / name
        few_kept = ["--graph", out, "--stack-size", "5", "--quiet"]
        assert len(done(verb("translate", "--model", trained, *few_kept, stdin=text))) > 0
    assert len(plain.splitlines()) == 3
    rows = [json.loads(line) for line in read_lines(tmp_path / "graphs.jsonl")]
    assert [len(row["source"]) for row in rows] == [len(line.split()) for line in text.split("\n")]
    assert (tmp_path / "graphs.dot").read_text().count("digraph") == 3
