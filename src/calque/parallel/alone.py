from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


def alone(work: Callable[Given, Result], *args: Given.args, **named: Given.kwargs) -> Result:
    """The result of `work` in a fresh process, whose memory nothing else has touched.

    `work` must be picklable, like that of `ordered_map`.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(work, *args, **named).result()
