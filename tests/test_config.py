from __future__ import annotations

import runpy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.config import (
    FeatureOptions,
    describe,
    fill,
    from_toml,
    option,
    renamed,
    settings,
    to_mapping,
)
from calque.config.document import to_markdown
from calque.errors import CalqueError, FileError, OptionError
from calque.tune.registry import find_method


@dataclass(frozen=True)
class LmOptions:
    order: int = option(5, "longest n-gram", least=1, most=6)
    text: str | None = option(None, "more text")


@dataclass(frozen=True)
class TrainOptions:
    seed: int = option(1, "seed")
    rate: float = option(0.5, "rate", least=0)
    lower: bool = option(False, "lowercase")
    casing: Literal["keep", "lower"] = option("keep", "case")
    lm: LmOptions = field(default_factory=LmOptions)


DEFAULTS = TrainOptions()


def test_settings_set_every_type() -> None:
    given = ["seed=7", "rate=2", "lower=yes", "casing=lower", "lm.order=3", "lm.text=a=b c"]
    expected = TrainOptions(7, 2.0, True, "lower", LmOptions(3, "a=b c"))
    assert settings(DEFAULTS, given) == expected
    assert settings(expected, ["lm.text=none"]).lm.text is None


def test_a_toml_file_sets_groups_as_tables(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("seed = 3\nrate = 1\n[lm]\norder = 2\n")
    assert from_toml(DEFAULTS, file) == TrainOptions(3, 1.0, lm=LmOptions(2))


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("lm.oder=3", "--set: unknown key 'lm.oder'; did you mean 'lm.order'?"),
        ("order=3", "--set: unknown key 'order'; did you mean 'lm.order'?"),
        ("zzz=3", "--set: unknown key 'zzz'; valid keys: seed, rate, lower, casing, lm.order"),
        ("lm=3", "--set: unknown key 'lm'"),
        ("lm.order=7", "--set: lm.order=7: expected a whole number from 1 to 6"),
        ("lm.order=3.5", "--set: lm.order=3.5: expected a whole number from 1 to 6"),
        ("lm.order=", "--set: lm.order=: expected a whole number from 1 to 6"),
        ("rate=-1", "--set: rate=-1.0: expected a number of at least 0"),
        ("rate=nan", "--set: rate=nan: expected a number of at least 0"),
        ("lower=maybe", "--set: lower=maybe: expected true or false"),
        ("casing=upper", "--set: casing=upper: expected one of keep, lower"),
        ("seed", "--set seed: expected key=value"),
    ],
)
def test_a_wrong_setting_is_one_clear_line(assignment: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        settings(DEFAULTS, [assignment])
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        "rate = 1" + "0" * 400,
        "seed = 1" + "0" * 5000,
        "a = " + "[" * 20_000,
        "a" + ".b" * 5000 + " = 1",
    ],
)
def test_a_hostile_toml_file_is_one_clear_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "options.toml"
    path.write_text(content)
    with pytest.raises(CalqueError, match=f"{path}: "):
        from_toml(TrainOptions(), path)


def test_a_wrong_toml_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    with pytest.raises(FileError, match="No such file"):
        from_toml(DEFAULTS, file)
    file.write_text("seed = = 3")
    with pytest.raises(FileError, match="a.toml: not TOML: .*line 1"):
        from_toml(DEFAULTS, file)
    file.write_bytes(b"\xff")
    with pytest.raises(FileError, match="not TOML"):
        from_toml(DEFAULTS, file)
    file.write_text("[lm]\nordre = 3")
    with pytest.raises(OptionError, match="a.toml: unknown key 'lm.ordre'; did you mean"):
        from_toml(DEFAULTS, file)
    file.write_text('seed = "3"')
    with pytest.raises(OptionError, match="a.toml: seed=3: expected a whole number"):
        from_toml(DEFAULTS, file)


@given(
    st.builds(
        TrainOptions,
        st.integers(),
        st.floats(0, allow_nan=False),
        st.booleans(),
        st.sampled_from(["keep", "lower"]),
        st.builds(LmOptions, st.integers(1, 6), st.none() | st.text()),
    )
)
def test_options_round_trip_through_plain_values(options: TrainOptions) -> None:
    assert fill(DEFAULTS, to_mapping(options)) == options


def test_the_page_of_options_is_current() -> None:
    docs = Path(__file__).resolve().parents[1] / "docs"
    page = runpy.run_path(str(docs / "make_options.py"))
    assert (docs / "options.md").read_text() == to_markdown(page["GROUPS"]), "run `make docs`"


def test_every_option_is_described_once() -> None:
    keys = [info.key for info in describe(TrainOptions)]
    assert keys == ["seed", "rate", "lower", "casing", "lm.order", "lm.text"]


@dataclass(frozen=True)
class Renamed:
    """Options of which one has a new name."""

    longest: int = option(5, "longest n-gram", least=1, was="order")


@dataclass(frozen=True)
class Grouped:
    """The same in a group."""

    lm: Renamed = field(default_factory=Renamed)


@dataclass(frozen=True)
class RenamedGroup:
    """A group that once was in another one."""

    lm: LmOptions = field(default_factory=LmOptions, metadata={"was": "models.target"})


def test_an_old_name_is_told_with_the_new_one() -> None:
    with pytest.raises(OptionError, match="--set: 'order' is now called 'longest'"):
        settings(Renamed(), ["order=3"])
    with pytest.raises(OptionError, match="options: 'lm.order' is now called 'lm.longest'"):
        fill(Grouped(), {"lm": {"order": 3}})
    with pytest.raises(OptionError, match="'models.target.order' is now called 'lm.order'"):
        fill(RenamedGroup(), {"models": {"target": {"order": 3}}})


def test_what_an_earlier_version_stored_is_taken_under_its_old_name() -> None:
    assert fill(Grouped(), {"lm": {"order": 3}}, stored=True).lm.longest == 3
    old = {"models": {"target": {"order": 3}}}
    assert fill(RenamedGroup(), old, stored=True).lm.order == 3
    assert renamed(Renamed, {"order": 3}) == {"longest": 3}
    assert renamed(Renamed, {"longest": 3}) == {"longest": 3}


@pytest.mark.parametrize(
    ("options", "old", "new"),
    [
        (FeatureOptions, "data.jumps.clip", "jumps.clip"),
        (FeatureOptions, "data.local.events.max_words", "local_model.events.max_words"),
        (find_method("costmargin").Options, "near", "truth_candidates"),
        (find_method("maxviolation").Options, "aside", "reset_at_end"),
        (find_method("xbleu").Options, "kl", "kl_weight"),
        (find_method("simplex").Options, "loosen", "shrink_first_weights"),
    ],
)
def test_options_of_earlier_versions_are_told_with_their_names_of_today(
    options: type[Any], old: str, new: str
) -> None:
    with pytest.raises(OptionError, match=f"'{old}' is now called '{new}'"):
        settings(options(), [f"{old}=1"])
