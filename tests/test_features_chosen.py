"""Families and templates that users choose or write, and what they get wrong."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from decode_reference import tiny_model

from calque.config import DecodeOptions
from calque.decode import Decoder, SourceText
from calque.errors import CalqueError, OptionError
from calque.features import (
    DenseData,
    FeatureSet,
    SparseWeights,
    Template,
    Weights,
    WordData,
    chosen_templates,
    families_from_json,
    families_to_json,
    import_families,
)

MINE = [Template("mine", ("source.last@brown6", "target.last", "jump"))]
NUMBER = 1


def test_a_user_adds_a_family_of_his_own() -> None:
    own = import_families(f"P1, {__name__}:MINE")
    [template] = chosen_templates(f"{__name__}:MINE", own=own)
    assert template == MINE[0]
    assert len(chosen_templates(f"P1, {__name__}:MINE,", own=own)) == 2
    assert chosen_templates("MINE", own=own) == (template,)
    assert families_from_json(json.loads(json.dumps(families_to_json(own)))) == own


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("P9", "no family of sparse features is called 'P9': did you mean 'P"),
        ("wordedge", "did you mean 'wordedges'?"),
        ("no_such_module:family", "family 'no_such_module:family': No module named"),
        (f"{__name__}:nothing", "has no attribute 'nothing'"),
        (f"{__name__}:NUMBER", "expected a list of templates"),
    ],
)
def test_an_unknown_family_is_one_clear_line(expression: str, problem: str) -> None:
    with pytest.raises(OptionError, match=re.escape(problem)):
        chosen_templates(expression, own=import_families(expression))


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        (("a b", ("block",)), "template 'a b': expected a name without blanks and ':'"),
        (("a", ()), "template 'a': expected a tuple of 1 to 8 slots"),
        (("a", ("sorce",)), "template 'a': no slot is called 'sorce': did you mean 'source'?"),
        (("a", ("source@word",)), "template 'a': 'source' is no word and has no levels"),
        (("a", ("source.first@pos",)), "template 'a': no level is called 'pos'; there are: word"),
        (("a", ("each.source@char",)), "template 'a': no level is called 'char'"),
    ],
)
def test_a_bad_template_is_one_clear_line(template: tuple[str, tuple[str]], problem: str) -> None:
    with pytest.raises(OptionError, match=re.escape(problem)):
        Template(*template)


def test_slots_that_no_step_can_join_are_one_clear_line() -> None:
    parts = tiny_model(1)
    data = WordData(parts.vocabulary, parts.vocabulary)
    bad = [Template("a", ("hierarchical.forward", "target.previous"))]
    with pytest.raises(CalqueError, match="template 'a': hierarchical.forward goes with slots of"):
        FeatureSet.compile("standard", DenseData(parts.blocks), bad, data)


def test_names_that_no_template_gives_are_one_clear_line() -> None:
    parts = tiny_model(1)
    data = WordData(parts.vocabulary, parts.vocabulary)
    templates = chosen_templates("P1, W2")
    features = FeatureSet.compile("standard", DenseData(parts.blocks), templates, data)
    with pytest.raises(CalqueError, match="no active template is called 'P2': did you mean 'P1'"):
        features.key_of("P2:a ||| b ||| R")
    with pytest.raises(CalqueError, match="template 'P1': a value is missing"):
        features.key_of("P1:a")
    with pytest.raises(CalqueError, match="template 'W2.jump': there are too many values"):
        features.key_of("W2.jump:1 ||| 2")


def test_sparse_weights_without_sparse_features_are_refused() -> None:
    parts = tiny_model(1)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    sparse = SparseWeights.from_arrays(np.array([5], np.uint64), np.array([1], np.float32))
    text = SourceText.encode(["w0"], parts.vocabulary, parts.vocabulary)
    with pytest.raises(CalqueError, match="there are 1 weights of sparse features, but no such"):
        decoder.decode(text, Weights(Weights.default(), sparse), DecodeOptions())
