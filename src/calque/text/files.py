"""Text files in and out: plain or compressed, UTF-8, with errors that name file, line and byte."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, BinaryIO

from calque.errors import FileError, LineError
from calque.progress import Stage
from calque.text.compression import (
    DAMAGED,
    MAGIC_BYTES,
    Packed,
    compression_of,
    packing,
    position_of,
    unpacked,
)

BLOCK_BYTES = 1 << 20
STANDARD_STREAM = Path("-")
"""The name that stands for standard input or output, as everywhere on a command line."""


def read_blocks(path: Path | str, stage: Stage | None = None) -> Iterator[str]:
    r"""The text of a file as blocks of complete lines, every line ending in '\n'.

    Lines end at '\n' or '\r\n' and nowhere else. A byte-order mark is dropped. Whether the file is
    compressed (gzip, bzip2, xz) is read off its first bytes, not its name. A block of a pipe or a
    terminal ends where there is nothing more to read at the moment. `stage` advances by the bytes
    read from disk, `n_bytes(path)` in all. Raises `FileError` or `LineError`.
    """
    n_lines = 0
    position = 0
    with reading(path), open_input(path) as file:
        for block in _whole_lines(file):
            if stage is not None:
                before, position = position, position_of(file, position + len(block))
                stage.advance(position - before)
            try:
                text = block.decode("utf-8")
            except UnicodeDecodeError as error:
                raise _utf8_error(path, n_lines, block, error) from error
            if n_lines == 0:
                text = text.removeprefix("\ufeff")
            if "\r" in text:
                text = text.replace("\r\n", "\n")
            yield text
            n_lines += text.count("\n")


def n_bytes(path: Path | str) -> int | None:
    """The size of a file on disk, or `None` where it has none (a pipe, standard input)."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None  # opening it will say why
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def read_lines(path: Path | str) -> Iterator[str]:
    """The lines of a text file without their ends."""
    for lines in read_line_groups(path):
        yield from lines


def read_line_groups(path: Path | str) -> Iterator[list[str]]:
    """The lines of a text file without their ends, as many at a time as `read_blocks` gives.

    Of a pipe or a terminal that is what has been written by now; only the wait for the first line
    of a group blocks.
    """
    for block in read_blocks(path):
        yield block[:-1].split("\n")


@contextlib.contextmanager
def open_input(path: Path | str) -> Iterator[BinaryIO]:
    """A file opened for reading bytes, compression undone; `-` is standard input."""
    with contextlib.ExitStack() as stack:
        standard = Path(path) == STANDARD_STREAM
        file = sys.stdin.buffer if standard else stack.enter_context(_open(path))
        if not isinstance(file, io.BufferedReader):
            yield file
            return
        head = file.peek(MAGIC_BYTES)[:MAGIC_BYTES]
        if not head:  # Asking again would make a terminal wait for a second end of input.
            yield io.BytesIO()
            return
        compression = compression_of(head)
        yield file if compression is None else stack.enter_context(unpacked(file, compression))


def _open(path: Path | str) -> BinaryIO:
    try:
        if Path(path).is_dir():
            raise FileError(path, "is a directory, expected a file")
        return Path(path).open("rb")
    except FileNotFoundError:
        raise FileError(path, "no such file") from None
    except OSError as error:
        raise FileError(path, error.strerror or str(error)) from error
    except ValueError as error:  # a name that no file can have: a zero byte in it
        raise FileError(path, str(error)) from error


@contextlib.contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Nothing; but what reading `path` may raise inside becomes a `FileError`."""
    try:
        yield
    except DAMAGED as error:
        raise FileError(path, f"damaged or truncated compressed file: {error}") from error
    except OSError as error:
        if error.errno is None:  # bzip2 has no error of its own
            raise FileError(path, f"damaged or truncated compressed file: {error}") from error
        raise FileError(path, error.strerror or str(error)) from error


@contextlib.contextmanager
def open_output(path: Path | str) -> Iterator[IO[str]]:
    """A text file opened for writing that appears complete or not at all.

    Where the name ends in `.gz`, `.bz2` or `.xz` it is compressed. The text goes to a file beside
    the target, which takes the target's name when the block ends without an exception. `-` is
    standard output.
    """
    path = Path(path)
    if path == STANDARD_STREAM:
        yield sys.stdout
        sys.stdout.flush()
        return
    if path.is_dir():
        raise FileError(path, "is a directory, expected a file to write")
    if path.exists() and not path.is_file():  # a pipe or a device, which has no half-written state
        with path.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as raw:
            packed = packing(raw, path)
            with packed or contextlib.nullcontext(), _text(packed or raw) as file:
                yield file
        _give_default_permissions(name)
        Path(name).replace(path)
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from error
    finally:
        Path(name).unlink(missing_ok=True)


@contextlib.contextmanager
def replacing(path: Path | str) -> Iterator[IO[bytes]]:
    """A binary file opened for writing that appears complete, and on disk, or not at all."""
    path = Path(path)
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)


def reserve(file: IO[bytes], n_bytes: int) -> None:
    """Give a file its size and the space for it, or raise `OSError`.

    Without it a full disk shows only when a page of the mapped file is written, and then the
    system ends the process.
    """
    if sys.platform == "linux":
        os.posix_fallocate(file.fileno(), 0, n_bytes)
    else:
        file.truncate(n_bytes)


def write_lines(path: Path | str, lines: Iterable[str]) -> None:
    """Write the lines to a file, each with its end; see `open_output`."""
    with open_output(path) as file:
        file.writelines(line + "\n" for line in lines)


@contextlib.contextmanager
def _text(raw: IO[bytes] | Packed) -> Iterator[IO[str]]:
    """A text view of a binary file that flushes, but does not close, at its end."""
    file = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
    try:
        yield file
    finally:
        file.flush()
        file.detach()


def _give_default_permissions(name: str) -> None:
    """Undo the privacy of a temporary file: what `open` would have given under the umask."""
    mask = os.umask(0)
    os.umask(mask)
    Path(name).chmod(0o666 & ~mask)


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file cut after line ends, in blocks of at most about `BLOCK_BYTES`."""
    # One read of the system gives all of a file that is asked for, but of a pipe what is there.
    read = file.read1 if isinstance(file, io.BufferedReader) else file.read
    pieces: list[bytes] = []
    is_first = True
    while piece := read(BLOCK_BYTES):
        cut = piece.rfind(b"\n") + 1
        if cut == 0:
            pieces.append(piece)
            continue
        yield b"".join([*pieces, piece[:cut]])
        pieces = [piece[cut:]] if cut < len(piece) else []
        is_first = False
    rest = b"".join(pieces)
    if rest and not (is_first and rest == codecs.BOM_UTF8):  # a mark alone is an empty file
        yield rest + b"\n"


def _utf8_error(
    path: Path | str, n_lines_before: int, block: bytes, error: UnicodeDecodeError
) -> LineError:
    line = n_lines_before + block.count(b"\n", 0, error.start) + 1
    column = error.start - (block.rfind(b"\n", 0, error.start) + 1) + 1
    bad = block[error.start]
    return LineError(path, line, f"byte {column} (0x{bad:02x}) is not UTF-8: {error.reason}")
