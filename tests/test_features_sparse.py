"""Sparse weights: the table equals a dictionary, the arithmetic that of its entries."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque._core import SparseTable, match_tags, tag_matchers
from calque.errors import CalqueError, ModelError
from calque.features import SparseWeights, Weights
from calque.model import ModelFolder, ModelWriter, read_weights, weight_names, write_weights

MASK = (1 << 64) - 1


def key(template: int, first: int, tag: int) -> int:
    """A key by the parts that the table sees: template, place, and what tells neighbours apart."""
    return template << 48 | first << 16 | tag


ODD = MASK
"""The key of ones only."""

# Keys with the same template and first bits share a place, more of them than it has room for; those
# with the largest first bits lie at the end, where there is nothing left to go to.
crowded = st.integers(0, 200).map(lambda i: key(7, 1 << 31, i))
at_the_end = st.integers(0, 200).map(lambda i: key(7, (1 << 32) - 1, i))
same_tags = st.integers(0, 200).map(lambda i: key(7, (1 << 31) + i, 5))
keys = st.one_of(st.integers(0, 30), crowded, at_the_end, same_tags, st.integers(0, MASK))
values = st.integers(-64, 64).map(float)  # their sums are exact
entries = st.dictionaries(keys, values, max_size=200)


def table_of(entries: dict[int, float]) -> SparseWeights:
    return SparseWeights.from_arrays(
        np.array(list(entries), np.uint64), np.array(list(entries.values()), np.float32)
    )


def dict_of(weights: SparseWeights) -> dict[int, float]:
    arrays = weights.to_arrays()
    assert sorted(arrays["keys"].tolist()) == arrays["keys"].tolist()
    assert len(arrays["keys"]) == len(weights)
    return dict(zip(arrays["keys"].tolist(), arrays["values"].tolist(), strict=True))


@given(st.lists(st.tuples(keys, values, st.booleans()), max_size=400), st.lists(keys))
def test_the_table_is_a_dictionary(steps: list[tuple[int, float, bool]], asked: list[int]) -> None:
    table, model = SparseTable(), dict[int, float]()
    for key, value, add in steps:
        if add:
            table.add(key, value)
            model[key] = model.get(key, 0.0) + value
        else:
            table.set(key, value)
            model[key] = value
    assert dict_of(SparseWeights(table)) == model
    for key in [*asked, *model]:
        assert table.get(key) == model.get(key, 0.0)
        assert (key in table) == (key in model)
    many = np.array([*asked, *model], np.uint64)
    assert table.get_many(many).tolist() == [model.get(key, 0.0) for key in many.tolist()]


@given(st.lists(st.tuples(keys, values), max_size=400))
def test_many_at_once_are_as_one_by_one(pairs: list[tuple[int, float]]) -> None:
    one, added, placed, last = SparseTable(), SparseTable(), SparseTable(), dict[int, float]()
    for key, value in pairs:
        one.add(key, value)
        last[key] = value
    arrays = np.array([k for k, _ in pairs], np.uint64), np.array([v for _, v in pairs], np.float32)
    added.add_many(*arrays)
    placed.set_many(*arrays, threads=3)
    assert dict_of(SparseWeights(added)) == dict_of(SparseWeights(one))
    assert dict_of(SparseWeights(placed)) == last


@pytest.mark.parametrize("matcher", tag_matchers())
@pytest.mark.parametrize("wants_tag", [False, True])
def test_every_way_to_match_tags_finds_the_same(matcher: str, wants_tag: bool) -> None:
    rng = np.random.default_rng(1)
    lines = rng.integers(0, 40, (500, 32), np.uint16) * 1637  # some tags repeat in a line
    lines[:, 31] = rng.integers(0, 32, 500) | (rng.random(500) < 0.2) * 0x8000
    tags = rng.integers(0, 60, 500, np.uint16) * 1637
    differences = np.array([0x8001, 1637, 40 * 1637, 7], np.uint16)
    expected = []
    for i, (line, tag) in enumerate(zip(lines.tolist(), tags.tolist(), strict=True)):
        for which, difference in enumerate([0, *differences.tolist()]):
            slots = sum(1 << at for at in range(31) if line[at] == tag ^ difference)
            slots |= (line[31] >> 15) << 31
            if slots and (wants_tag or which > 0):
                expected += [i, which, slots]
    assert len(expected) > 900
    assert match_tags(matcher, lines, tags, differences, wants_tag).tolist() == expected


@pytest.mark.parametrize("templates", [1, 40])
def test_many_entries_come_back_and_take_little_room(templates: int) -> None:
    """Of one template, whose part is split on the way, and of many."""
    rng = np.random.default_rng(1)
    n = 1_500_000 if templates == 1 else 200_000
    uppers = rng.integers(0, templates, n, np.uint64) << np.uint64(48)
    many = np.unique(uppers | rng.integers(0, 1 << 48, n, np.uint64))
    numbers = rng.normal(size=len(many)).astype(np.float32)
    shuffled = rng.permutation(len(many))
    grown, loaded = SparseTable(), SparseWeights.from_arrays(many, numbers)
    for part in np.array_split(shuffled, 7):
        grown.add_many(many[part], numbers[part])
    for table in (grown, loaded.core):
        found = table.entries()
        assert np.array_equal(found[0], many)
        assert np.array_equal(found[1], numbers)
        assert 10 / 0.8 * len(many) < table.n_bytes < 18 * len(many)
        assert np.array_equal(table.get_many(many[shuffled]), numbers[shuffled])
    absent = many + np.uint64(1)
    absent = absent[~np.isin(absent, many)]
    assert not grown.get_many(absent).any()


@given(entries, entries, st.sampled_from([0.0, 0.5, -2.0, 1.0]))
def test_arithmetic_is_that_of_the_entries(
    mine: dict[int, float], theirs: dict[int, float], scale: float
) -> None:
    a, b = table_of(mine), table_of(theirs)
    union = mine.keys() | theirs.keys()

    def of(key: int) -> tuple[float, float]:
        return mine.get(key, 0.0), theirs.get(key, 0.0)

    assert dict_of(a.added(b, scale)) == {k: of(k)[0] + scale * of(k)[1] for k in union}
    assert dict_of(a.merged(b)) == {**mine, **theirs}
    assert dict_of(SparseWeights.averaged([a, b])) == {k: sum(of(k)) / 2 for k in union}
    assert dict_of(a.scaled(scale)) == {k: scale * v for k, v in mine.items()}
    assert dict_of(a.added(a)) == {k: 2 * v for k, v in mine.items()}
    assert (dict_of(a), dict_of(b)) == (mine, theirs), "the operands are as they were"


@given(entries, entries, st.integers(0, 40), st.integers(-3, 40))
def test_pruning_drops_small_weights_and_rare_features(
    weights: dict[int, float], counts: dict[int, float], least: int, min_count: int
) -> None:
    found = table_of(weights).pruned(
        min_magnitude=least, counts=table_of(counts), min_count=min_count
    )
    assert dict_of(found) == {
        key: value
        for key, value in weights.items()
        if abs(value) >= least and counts.get(key, 0.0) >= min_count
    }
    assert all(found[key] == 0 for key in weights if key not in found)


def test_a_copy_does_not_change_with_the_original() -> None:
    table = SparseTable()
    table.set(ODD, 1.0)
    other = copy.copy(table)
    table.set(7, 2.0)
    table.set(ODD, 3.0)
    assert dict_of(SparseWeights(other)) == {ODD: 1.0}


def test_arrays_that_do_not_fit_are_one_clear_line() -> None:
    keys, numbers = np.array([1, 2], np.uint64), np.array([1, 2], np.float32)
    for bad, message in (
        ((keys[:1], numbers), "1 keys and 2 values"),
        ((keys.astype(np.int64), numbers), "expected keys of uint64 and values of float32"),
        ((keys[[0, 0]], numbers), "a key is given twice"),
        ((keys, numbers * np.float32(np.inf)), "not a finite number"),
    ):
        with pytest.raises(CalqueError, match=message):
            SparseWeights.from_arrays(*bad)
    with pytest.raises(CalqueError, match="2 keys and 1 values"):
        SparseTable().add_many(keys, numbers[:1])
    with pytest.raises(CalqueError, match="at least one"):
        SparseWeights.averaged([])


floats = st.floats(-1e6, 1e6, width=32)
dense_names = st.text("abc_.-", min_size=1, max_size=6)


@given(
    st.dictionaries(dense_names, st.floats(-1e20, 1e20)),
    st.dictionaries(keys, floats, max_size=20),
)
def test_weights_come_back_from_text(dense: dict[str, float], sparse: dict[int, float]) -> None:
    weights = Weights(dense, table_of(sparse))
    assert Weights.from_text(weights.to_text()) == weights
    names = {key: f"P1:ein  haus ||| a {key}" for key in list(sparse)[::2]}
    keys_by_name = {name: key for key, name in names.items()}
    text = "# a comment\n\n" + weights.to_text(names)
    assert all(name in text for name in names.values())
    assert Weights.from_text(text, key_of=keys_by_name.__getitem__) == weights


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1\na 2\n", "w: line 2: 'a' is given twice"),
        ("a\n", "w: line 1: expected 'name value', the value a finite number"),
        ("a x\n", "w: line 1: expected 'name value', the value a finite number"),
        ("a nan\n", "w: line 1: expected 'name value', the value a finite number"),
        ("\na b 1\n", "w: 'a b' is not a name of a dense feature"),
        ("P1:ein ||| a 1\n", "w: line 1: no family of features has 'P1:ein ||| a'"),
        ("#000000000000000a 1\n#000000000000000a 1\n", "line 2: '#000000000000000a' is given tw"),
    ],
)
def test_a_bad_line_of_weights_is_one_clear_line(text: str, message: str) -> None:
    with pytest.raises(CalqueError) as caught:
        Weights.from_text(text, "w")
    assert message in str(caught.value)


def test_the_arithmetic_of_weights_takes_in_both_kinds() -> None:
    a = Weights({"x": 1.0, "y": 2.0}, table_of({1: 4.0, 2: 8.0}))
    b = Weights({"y": 6.0, "z": 3.0}, table_of({2: 2.0, 3: 6.0}))
    assert a.added(b, 0.5) == Weights({"x": 1, "y": 5, "z": 1.5}, table_of({1: 4, 2: 9, 3: 3}))
    assert a.merged(b) == Weights({"x": 1, "y": 6, "z": 3}, table_of({1: 4, 2: 2, 3: 6}))
    assert a.scaled(2) == Weights({"x": 2, "y": 4}, table_of({1: 8, 2: 16}))
    mean = Weights({"x": 0.5, "y": 4, "z": 1.5}, table_of({1: 2, 2: 5, 3: 3}))
    assert Weights.averaged([a, b]) == mean
    assert a != Weights(dict(a)), "the sparse weights differ"


def test_the_vector_has_the_order_asked_for() -> None:
    weights = Weights({"x": 1.0, "y": 2.0})
    assert weights.vector(["y", "x"]).tolist() == [2.0, 1.0]
    with pytest.raises(CalqueError, match="the weight of 'z' is missing"):
        weights.vector(["x", "y", "z"])
    with pytest.raises(CalqueError, match="no feature is called 'y'; known: x"):
        weights.vector(["x"])


def test_a_model_folder_keeps_sparse_weights(tmp_path: Path) -> None:
    first, second = Weights({"x": 1.0}, table_of({0: 4.0, ODD: 8.0})), Weights({"x": 2.0})
    with ModelWriter(tmp_path) as writer:
        write_weights(writer, "first", first)
        write_weights(writer, "second", second)
        writer.commit({"weights": "first"})
    folder = ModelFolder(tmp_path)
    assert read_weights(folder) == first
    assert read_weights(folder, "second") == second
    assert weight_names(folder) == ["first", "second"]
    with pytest.raises(ModelError, match="no weights are called 'keys'; there are: first, second"):
        read_weights(folder, "keys")
    with ModelWriter(tmp_path, update=True) as writer:
        write_weights(writer, "first", second)
        writer.commit({})
    assert read_weights(ModelFolder(tmp_path)) == second, "the old sparse weights are gone"
