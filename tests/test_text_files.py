"""Text files in and out, and one clear line for everything that can be wrong with them."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.errors import FileError, LineError
from calque.text import files, open_output, read_blocks, read_line_groups, read_lines, write_lines

Pack: TypeAlias = Callable[[bytes], bytes]
PACKERS: list[Pack] = [gzip.compress, bz2.compress, lzma.compress]
LINES = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")))


class Steps:
    """A stage that remembers how far it went."""

    def __init__(self) -> None:
        self.done = 0.0

    def advance(self, amount: float = 1) -> None:
        self.done += amount

    def say(self, note: str) -> None:
        pass


FileOf: TypeAlias = Callable[[bytes], Path]


@pytest.fixture
def a_file(tmp_path: Path) -> FileOf:
    def write(content: bytes) -> Path:
        path = tmp_path / "text"
        path.write_bytes(content)
        return path

    return write


def without_mark(lines: list[str]) -> list[str]:
    """What a reader gives back: the mark at the beginning of a file is not text."""
    return [lines[0].removeprefix("\ufeff"), *lines[1:]] if lines else []


@given(lines=LINES, name=st.sampled_from(["text", "text.gz", "text.bz2", "text.xz"]))
def test_lines_survive_a_round_trip(lines: list[str], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_lines(path, lines)
        assert list(read_lines(path)) == without_mark(lines)
        assert [file.name for file in path.parent.iterdir()] == [name]


@given(
    lines=LINES,
    end=st.sampled_from([b"\n", b"\r\n"]),
    final=st.booleans(),
    mark=st.booleans(),
    packed=st.booleans(),
    block=st.integers(1, 30),
)
def test_reading_agrees_with_splitting_whatever_the_ends_the_blocks_and_the_packing(
    lines: list[str], end: bytes, final: bool, mark: bool, packed: bool, block: int
) -> None:
    lines = without_mark(lines)
    if lines and not final and lines[-1] == "":
        lines = lines[:-1]  # no line: the line before simply has its end
        final = True
    content = end.join(line.encode() for line in lines) + (end if final and lines else b"")
    content = (b"\xef\xbb\xbf" if mark else b"") + content
    stage = Steps()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "text"
        path.write_bytes(gzip.compress(content) if packed else content)
        size = files.n_bytes(path)
        patch.setattr(files, "BLOCK_BYTES", block)
        blocks = list(read_blocks(path, stage))
    if mark and not content.removeprefix(b"\xef\xbb\xbf"):
        lines = []
    assert "".join(blocks) == "".join(line + "\n" for line in lines)
    assert all(text.endswith("\n") for text in blocks)
    if blocks and not packed and final:
        assert stage.done == size


def test_a_lone_carriage_return_and_other_separators_end_no_line(a_file: FileOf) -> None:
    path = a_file("a\rb\x85c\u2028d\x0be\n".encode())
    assert list(read_lines(path)) == ["a\rb\x85c\u2028d\x0be"]


@pytest.mark.parametrize("pack", PACKERS)
def test_compression_is_seen_in_the_bytes_and_not_in_the_name(tmp_path: Path, pack: Pack) -> None:
    for name, content in (("plain", pack(b"x\n")), ("packed.gz", b"x\n"), ("empty", pack(b""))):
        (tmp_path / name).write_bytes(content)
        assert list(read_lines(tmp_path / name)) == ([] if name == "empty" else ["x"])


@pytest.mark.parametrize("pack", PACKERS)
def test_progress_in_a_compressed_file_is_counted_in_bytes_on_disk(
    a_file: FileOf, pack: Pack
) -> None:
    path = a_file(pack(b"".join(b"%d\n" % i for i in range(200_000))))
    stage = Steps()
    assert sum(block.count("\n") for block in read_blocks(path, stage)) == 200_000
    assert stage.done == files.n_bytes(path)


def test_the_same_lines_give_the_same_compressed_bytes(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        write_lines(tmp_path / name, ["one", "two"])
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_standard_input_may_be_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (b"a\nb", *(pack(b"a\nb") for pack in PACKERS)):
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))
        monkeypatch.setattr("sys.stdin", stdin)
        assert list(read_lines("-")) == ["a", "b"]


def test_a_group_of_lines_is_what_a_pipe_holds(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)  # so that opening it to read does not wait
    groups = read_line_groups(path)
    for written, lines in [(b"a\nb\n", ["a", "b"]), (b"c\nhal", ["c"]), (b"f\n", ["half"])]:
        os.write(writer, written)
        assert next(groups) == lines
    os.write(writer, "é".encode()[:1])
    os.write(writer, "é".encode()[1:] + b"\nlast")
    assert next(groups) == ["é"]
    os.close(writer)
    assert list(groups) == [["last"]]


def test_a_very_long_line_is_readable(a_file: FileOf) -> None:
    line = " ".join(["word"] * 500_000)
    assert list(read_lines(a_file(f"a\n{line}\nb".encode()))) == ["a", line, "b"]


def test_a_line_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_LINE_BYTES", 3 << 20)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"x" * (5 << 20) + b"\n"))
    with pytest.raises(FileError, match=r"bomb.gz: a line of more than 3 MB: expected text in"):
        list(read_lines(path))
    path.write_bytes(gzip.compress(2 * (b"x" * (2 << 20) + b"\n")))
    assert len(list(read_lines(path))) == 2


def test_output_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    with contextlib.suppress(KeyboardInterrupt), open_output(path) as file:
        file.write("new")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_output_keeps_its_permissions_and_its_link(tmp_path: Path) -> None:
    path, link = tmp_path / "out", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    write_lines(link, ["new"])
    assert link.is_symlink()
    assert path.read_text() == "new\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_killed_processes_left_of_an_output_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "out"
    killed = [
        sys.executable,
        "-c",
        "import os, signal, sys; from calque.text import open_output\n"
        "with open_output(sys.argv[1]) as file: os.kill(os.getpid(), signal.SIGKILL)",
        str(path),
    ]
    assert subprocess.run(killed, check=False).returncode == -9
    assert len(list(tmp_path.iterdir())) == 1
    (tmp_path / ".out.mine.part").write_text("no file of ours")
    with open_output(path) as first:
        write_lines(path, ["b"])  # meanwhile another one writes the same file
        first.write("a")
    assert path.read_text() == "a"
    assert sorted(file.name for file in tmp_path.iterdir()) == [".out.mine.part", "out"]


def test_a_device_without_room_is_named_and_no_other_file(tmp_path: Path) -> None:
    with (
        pytest.raises(FileError, match="^/dev/full: cannot be written: No space left"),
        open_output("/dev/full") as full,
        open_output(tmp_path / "out"),
    ):
        full.write("x" * 100_000)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileError, match="^/dev/full: cannot be written"):
        write_lines("/dev/full", ["a"])


def problem(path: Path | str) -> str:
    with pytest.raises(FileError) as caught:
        list(read_lines(path))
    return str(caught.value).removeprefix(f"{path}: ")


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    assert problem(tmp_path / "none") == "no such file"


def test_a_directory_is_one_clear_line(tmp_path: Path) -> None:
    assert problem(tmp_path) == "is a directory, expected a file"


def test_a_path_below_a_file_is_one_clear_line(a_file: FileOf) -> None:
    assert problem(a_file(b"") / "below") == "Not a directory"


def test_a_name_that_no_file_can_have_is_one_clear_line() -> None:
    assert problem("a\0b") == "embedded null byte"


@pytest.mark.parametrize("pack", [bytes, *PACKERS])
@pytest.mark.parametrize("n_before", [0, 1, 400_000])
def test_invalid_utf8_is_located_by_line_and_byte(
    a_file: FileOf, pack: Pack, n_before: int
) -> None:
    path = a_file(pack(b"fine\n" * n_before + "naïve ".encode() + b"\xff here\nfine\n"))
    with pytest.raises(LineError) as caught:
        list(read_lines(path))
    line = n_before + 1
    assert caught.value.line == line
    assert (
        str(caught.value) == f"{path}: line {line}: byte 8 (0xff) is not UTF-8: invalid start byte"
    )


def test_text_that_ends_inside_a_character_is_located(a_file: FileOf) -> None:
    wanted = "line 1: byte 3 (0xc3) is not UTF-8: invalid continuation byte"
    assert problem(a_file("abé".encode()[:-1])) == wanted


@pytest.mark.parametrize("pack", PACKERS)
def test_a_truncated_compressed_file_is_one_clear_line(a_file: FileOf, pack: Pack) -> None:
    whole = pack(b"a line\n" * 1000)
    for cut in (9, len(whole) // 2, len(whole) - 3):
        assert problem(a_file(whole[:cut])).startswith("damaged or truncated compressed file: ")


@pytest.mark.parametrize("pack", PACKERS)
def test_a_damaged_compressed_file_is_one_clear_line(a_file: FileOf, pack: Pack) -> None:
    whole = bytearray(pack(b"".join(b"%d\n" % i for i in range(1000))))
    whole[len(whole) // 2] ^= 0xFF
    assert problem(a_file(bytes(whole))).startswith("damaged or truncated compressed file: ")


@pytest.mark.parametrize("name", ["out", "out.gz"])
def test_output_that_cannot_be_written_is_one_clear_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    for folder, reason in (("missing", "No such file or directory"), ("file", "Not a directory")):
        path = tmp_path / folder / name
        with pytest.raises(FileError) as caught:
            write_lines(path, ["x"])
        assert str(caught.value) == f"{path}: cannot be written: {reason}"


def test_output_onto_a_directory_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        write_lines(tmp_path, ["x"])
    assert str(caught.value) == f"{tmp_path}: is a directory, expected a file to write"
