"""What tuning hands to the core is checked there."""

from __future__ import annotations

import numpy as np
import pytest
from border_calls import (
    Arguments,
    Call,
    add_derivatives,
    add_directions,
    expected_worth,
    gradient_step,
    int32,
    int64,
    learn,
    move_columns,
    online_lists,
    rprop_step,
    small_steps,
)

from calque import _core
from calque.errors import CalqueError


def test_what_goes_uphill_is_checked() -> None:
    """Wrong numbers of weights, sentences that there are not, and the like."""
    short = np.zeros(2)
    wrong: list[tuple[Call, Arguments]] = [
        (add_directions(), {"weights": short}),
        (add_directions(), {"sum": short}),
        (add_directions(), {"gains": short}),
        (expected_worth(), {"worths": short}),
        (expected_worth(), {"weights": short}),
        (expected_worth(), {"gradient": short}),
        (add_derivatives(), {"sparse": short}),
        (add_derivatives(), {"features": int32(0, 2, 0)}),
        (add_derivatives(), {"features": int32(1, 0, 0)}),
        (add_derivatives(), {"offsets": int64(0, 2)}),
        (add_derivatives(), {"n_dense": 4}),
        (add_derivatives(), {"n_dense": 0}),
        (small_steps(), {"order": int64(2)}),
        (small_steps(), {"batch": 0}),
        (small_steps(), {"worths": short}),
        (small_steps(), {"moving": np.ones(2, np.uint8)}),
        (small_steps(), {"penalised": np.ones(2, np.uint8)}),
        (small_steps(), {"squares": None}),
        (small_steps(), {"weights": short}),
        (gradient_step(), {"gradient": short}),
        (gradient_step(), {"squares": short}),
        (gradient_step(), {"n_dense": -1}),
        (move_columns(), {"columns": int32(3, 0)}),
        (move_columns(), {"values": np.ones(3)}),
        (move_columns(), {"lag": short}),
        (move_columns(), {"squares": None}),
        (rprop_step(), {"gradient": short}),
        (rprop_step(), {"before": short}),
        (rprop_step(), {"steps": np.ones(2, np.float32)}),
        (rprop_step(), {"signs": np.zeros(2, np.int8)}),
    ]
    for call, changed in wrong:
        call.function(**call.arguments)
        with pytest.raises(CalqueError):
            call.function(**{**call.arguments, **changed})


def test_lists_to_learn_from_are_checked() -> None:
    wrong: Arguments
    for wrong in (
        {"places": int32(0, 1)},
        {"features": int32(0, 2)},
        {"features": int32(-1, 1)},
        {"features": int32(1, 0), "feature_offsets": int64(0, 2, 2)},
        {"base": np.zeros(3)},
        {"places": int32(0)},
        {"row_offsets": int64(0, 1, 2)},
        {"feature_offsets": int64(0, 2)},
        {"feature_offsets": int64(0, 0, 2)},
        {"n_sparse": -1},
    ):
        with pytest.raises(CalqueError):
            online_lists(**wrong)
    call = learn()
    for wrong in (
        {"order": int64(2)},
        {"gains": np.zeros(3)},
        {"n_truths": int64(3, 0)},
        {"n_truths": int64(-1, 0)},
        {"n_truths": int64(0)},
        {"sparse_shrink": 0.0},
        {"dense_shrink": 1.1},
        {"squares": None},
    ):
        with pytest.raises(CalqueError):
            call.function(**{**call.arguments, **wrong})
    for first, last in ((-1, 1), (2, 1), (0, 3)):
        with pytest.raises(CalqueError, match="sentences that there are not"):
            _core.differences(
                int64(0, 1, 2), int64(0, 1, 2), int32(0, 1), np.ones(2), first, last,
                np.ones(2, np.uint8), False, False, 1,
            )  # fmt: skip
    with pytest.raises(CalqueError):
        _core.column_counts(int32(0, 2), 2)
