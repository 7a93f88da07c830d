from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from calque.errors import OptionError
from calque.parallel import alone, n_workers, ordered_map, peak_memory
from calque.parallel.interrupts import interrupts_held


def square(x: int) -> int:
    if x == 13:
        raise ValueError(f"unlucky {x}")
    return x * x


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_come_in_the_order_of_the_items(workers: int) -> None:
    items = [x for x in range(60) if x != 13]
    assert list(ordered_map(square, items, workers)) == [x * x for x in items]


def test_items_are_drawn_only_a_little_ahead() -> None:
    drawn = 0

    def items() -> Iterator[int]:
        nonlocal drawn
        for x in range(100, 10**9):
            drawn += 1
            yield x

    results = ordered_map(square, items(), 2)
    assert [next(results) for _ in range(20)] == [x * x for x in range(100, 120)]
    assert drawn <= 20 + 8
    results.close()  # type: ignore[attr-defined]  # a generator


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_rises_at_the_place_of_its_item(workers: int) -> None:
    results = ordered_map(square, range(10, 20), workers)
    assert [next(results) for _ in range(3)] == [100, 121, 144]
    with pytest.raises(ValueError, match="unlucky 13"):
        next(results)


def test_work_alone_has_a_process_of_its_own() -> None:
    assert alone(os.getpid) != os.getpid()
    assert alone(square, 12) == 144
    with pytest.raises(ValueError, match="unlucky 13"):
        alone(square, 13)
    assert 1 < alone(peak_memory) < 10_000


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_signals_wait_for_workers_to_start_whatever_thread_takes_them(
    how: signal.Signals,
) -> None:
    """Half a start left a worker with a traceback."""
    before = signal.signal(how, signal.default_int_handler)
    stop, ended = Event(), False
    other = Thread(target=stop.wait)  # a thread that does not block the signal
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt), interrupts_held():
            os.kill(os.getpid(), how)
            stop.wait(0.05)
            ended = True
        assert signal.getsignal(how) is signal.default_int_handler
    finally:
        stop.set()
        other.join()
        signal.signal(how, before)
    assert ended


SCRIPT = """
import calque

print("once")
model = calque.train(
    source="a", target="b", out="model", threads=2,
    text={"tokenize": True, "source_language": "de", "target_language": "en"},
)
print(model.translate("Ein Haus!").text, __file__.endswith("script.py"), __spec__)
"""


@pytest.mark.parametrize("run", [["script.py"], ["-m", "script"]])
def test_a_script_without_a_guard_may_train_on_plain_text(tmp_path: Path, run: list[str]) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "a").write_text("Ein Haus!\nEin Hund.\n" * 20)
    (tmp_path / "b").write_text("A house!\nA dog.\n" * 20)
    done = subprocess.run(
        [sys.executable, "-W", "ignore:language model", *run],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "once"
    [told] = done.stdout.splitlines()[1:]
    assert told.startswith("A house! True ")
    assert ("name='script'" in told) == ("-m" in run)


def test_the_number_of_workers_is_asked_given_or_every_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CALQUE_THREADS", raising=False)
    assert n_workers() == len(os.sched_getaffinity(0))
    assert n_workers(3) == 3
    monkeypatch.setenv("CALQUE_THREADS", "5")
    assert n_workers() == 5
    assert n_workers(3) == 3


@pytest.mark.parametrize("text", ["0", "-1", "two", "²"])
def test_a_wrong_number_of_workers_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("CALQUE_THREADS", text)
    with pytest.raises(OptionError, match="expected a whole number from 1 to 1,000,000"):
        n_workers()
