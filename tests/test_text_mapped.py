"""Checksums and checks of whole arrays, and folders of working files."""

from __future__ import annotations

import errno
import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque._core import Checksum
from calque.errors import ModelError
from calque.text import mapped, working
from calque.text.mapped import check_finite, check_ids, check_offsets, checksum_of, pieces
from calque.text.working import WorkingFolder

FIRST, SECOND, WORD = 0xD6E8FEB86659FD93, 0x9E3779B97F4A7C15, (1 << 64) - 1


def slow_checksum(data: bytes) -> int:
    """The definition, word by word: eight lanes in turn, the rest filled up with zeros."""
    lanes = list(range(1, 9))
    padded = data + bytes(64 - len(data) % 64)
    for at in range(0, len(padded), 8):
        lane = at // 8 % 8
        mixed = lanes[lane] ^ int.from_bytes(padded[at : at + 8], "little") * FIRST & WORD
        lanes[lane] = (mixed << 31 | mixed >> 33) * SECOND & WORD
    value = len(data)
    for lane in lanes:
        x = value ^ lane
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
        x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
        value = ((x ^ x >> 31) + 1) & WORD
    return value


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=4))
def test_a_checksum_is_its_definition_whatever_the_pieces(data: bytes, cuts: list[int]) -> None:
    checksum, places = Checksum(), sorted({0, len(data), *(c for c in cuts if c < len(data))})
    for begin, end in itertools.pairwise(places):
        checksum.update(np.frombuffer(data[begin:end], np.uint8))
    assert checksum.value() == slow_checksum(data)


def test_every_changed_bit_gives_a_checksum_of_its_own(tmp_path: Path) -> None:
    data = np.random.default_rng(1).bytes(300)
    file = tmp_path / "f"
    file.write_bytes(data)
    values = {checksum_of(file)}
    for at in range(8 * len(data)):
        changed = bytearray(data)
        changed[at // 8] ^= 1 << at % 8
        file.write_bytes(changed)
        values.add(checksum_of(file))
    for n in (1, 8, 64):
        file.write_bytes(data + bytes(n))
        values.add(checksum_of(file))
    assert len(values) == 8 * len(data) + 4


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(0, 3))
def test_pieces_are_the_array(values: list[int], overlap: int) -> None:
    array = np.array(values)
    size, mapped.PIECE_BYTES = mapped.PIECE_BYTES, 24
    try:
        found = list(pieces(array, overlap))
    finally:
        mapped.PIECE_BYTES = size
    assert np.concatenate([found[0], *(p[min(overlap, 3 * i) :] for i, p in enumerate(found) if i)]
                          ).tolist() == values  # fmt: skip


@pytest.mark.parametrize("at", [0, 1, 200_000, 399_999])
def test_one_bad_number_among_many_is_found(tmp_path: Path, at: int) -> None:
    good = np.arange(400_000, dtype=np.int64)
    np.save(tmp_path / "a.npy", good)
    array = np.load(tmp_path / "a.npy", mmap_mode="r")
    check_offsets("a", array, 399_999)
    check_ids("a", array, 400_000)
    bad = good.copy()
    bad[at] = -5 if at else 5
    np.save(tmp_path / "b.npy", bad)
    wrong = np.load(tmp_path / "b.npy", mmap_mode="r")
    with pytest.raises(ModelError, match=r"b (falls|does not delimit)"):
        check_offsets("b", wrong, 399_999)
    if at:
        with pytest.raises(ModelError, match="b has -5, expected 0 to 399999"):
            check_ids("b", wrong, 400_000)
    numbers = np.zeros(400_000, np.float32)
    check_finite("c", numbers)
    numbers[at] = np.inf
    with pytest.raises(ModelError, match="c has a value that is not a finite number"):
        check_finite("c", numbers)


def test_a_disk_without_locks_has_working_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(working, "take_lock", refuse)
    folder, other = WorkingFolder("train", tmp_path), WorkingFolder("train", tmp_path)
    assert folder.path.is_dir(), "nobody tidies up where nobody can tell what is in use"
    for each in (folder, other):
        each.close()
    assert not list(tmp_path.iterdir())


def test_working_folders_of_killed_processes_are_removed(tmp_path: Path) -> None:
    """Not those in use, those of other kinds, or folders that only look alike."""
    killed = [
        sys.executable,
        "-c",
        "import os, signal, sys; from pathlib import Path\n"
        "from calque.text.working import WorkingFolder\n"
        "made = [WorkingFolder(kind, Path(sys.argv[1])) for kind in ('blocks', 'gold')]\n"
        "(made[0].path / 'large').write_bytes(bytes(1000))\n"
        "os.kill(os.getpid(), signal.SIGKILL)",
        str(tmp_path),
    ]
    assert subprocess.run(killed, check=False).returncode == -9
    (tmp_path / "calque-blocks-mine").mkdir()
    [left] = tmp_path.glob("calque-gold-*")
    in_use = WorkingFolder("blocks", tmp_path)
    names = {"calque-blocks-mine", left.name, in_use.path.name}
    assert {folder.name for folder in tmp_path.iterdir()} == names
    other = WorkingFolder("blocks", tmp_path)
    assert in_use.path.is_dir()
    other.close()
    in_use.close()
    assert {folder.name for folder in tmp_path.iterdir()} == {"calque-blocks-mine", left.name}
