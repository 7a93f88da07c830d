"""Text files in and out: plain or compressed, UTF-8, with errors that name file, line and byte."""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import io
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO

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
MOST_LINE_BYTES = 1 << 25
"""The longest line that is read, about."""
PART = ".part"
"""How the names of files end that are being written."""
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
        for block in _whole_lines(file, path):
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
        status = Path(path).stat()
    except (OSError, ValueError):
        return None  # opening it will say why
    return status.st_size if stat.S_ISREG(status.st_mode) else None


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
    """Turns errors of reading `path` inside the block into a `FileError`."""
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
    the target, which takes the target's name when the block ends without an exception. A file that
    was there keeps its permissions, and a symbolic link keeps leading to it. What killed processes
    left of the same output is removed. `-` is standard output.
    """
    path = Path(path)
    if path == STANDARD_STREAM:
        yield sys.stdout
        sys.stdout.flush()
        return
    if path.is_dir():
        raise FileError(path, "is a directory, expected a file to write")
    try:
        if path.exists() and not path.is_file():  # a pipe or a device has no half-written state
            raw = _NamedFile(path, os.open(path, os.O_WRONLY))
            part = target = None
        else:
            target = Path(os.path.realpath(path))
            part, handle = _new_part(target)
            raw = _NamedFile(path, handle)
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        with io.BufferedWriter(raw) as buffered:
            packed = packing(buffered, path)
            with packed or contextlib.nullcontext(), _text(packed or buffered) as file:
                yield file
            buffered.flush()
            if part is not None and target is not None:
                try:
                    part.chmod(_permissions(target))
                    part.replace(target)
                except OSError as error:
                    raise _cannot_write(path, error) from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


class _NamedFile(io.FileIO):
    """A file whose errors name it, wherever in a chain of open files they rise."""

    def __init__(self, path: Path, handle: int) -> None:
        super().__init__(handle, "wb")
        self._path = path

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise  # whoever read it has enough: no error
        except OSError as error:
            raise _cannot_write(self._path, error) from error


def _cannot_write(path: Path, error: OSError) -> FileError:
    return FileError(path, f"cannot be written: {error.strerror or error}")


def is_working_file(path: Path) -> bool:
    """Whether a file is what a run that was killed had not yet given its name."""
    return path.name.startswith(".") and path.name.endswith(PART)


def _new_part(target: Path) -> tuple[Path, int]:
    """A new file beside the target, locked, and its handle; those that nobody locks are removed."""
    stem = f".{target.name}."
    while True:
        handle, name = tempfile.mkstemp(prefix=stem, suffix=PART, dir=target.parent)
        if _lock_own(handle, Path(name)):
            break
        os.close(handle)
    pattern = re.compile(re.escape(stem) + r"[a-z0-9_]{8}" + re.escape(PART))
    for left in target.parent.iterdir():
        if pattern.fullmatch(left.name) and left.name != Path(name).name:
            with contextlib.suppress(OSError), take_lock(left, make=False):
                left.unlink()
    return Path(name), handle


def _lock_own(handle: int, path: Path) -> bool:
    """Whether a new file is still there once it is locked; somebody may have tidied it away."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:
        return True  # no locks on this file system: nobody tidies up
    return path.exists()


@contextlib.contextmanager
def replacing(path: Path | str) -> Iterator[IO[bytes]]:
    """A binary file opened for writing that appears complete, and on disk, or not at all."""
    path = Path(path)
    part = path.with_name(f".{path.name}{PART}")
    try:
        part.unlink(missing_ok=True)
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        part.unlink(missing_ok=True)


def take_lock(path: Path, *, make: bool = True) -> IO[bytes]:
    """A file that holds a lock until it is closed, made where there is none unless told not to.

    Never follows a symbolic link and never changes what a file holds. Raises `BlockingIOError`
    where another process has the lock, `OSError` where there can be none.
    """
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | (os.O_CREAT if make else 0)
    lock = os.fdopen(os.open(path, flags, 0o666), "rb+", buffering=0)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        lock.close()
        raise
    return lock


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
    file = io.TextIOWrapper(raw, encoding="utf-8", errors="surrogateescape", newline="\n")
    try:
        yield file
    finally:
        file.flush()
        file.detach()


def _permissions(target: Path) -> int:
    """Those of the file that is there, else what `open` would have given under the umask."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _whole_lines(file: BinaryIO, path: Path | str) -> Iterator[bytes]:
    """The bytes of a file cut after line ends, in blocks of at most about `BLOCK_BYTES`."""
    # One read of the system gives all of a file that is asked for, but of a pipe what is there.
    read = file.read1 if isinstance(file, io.BufferedReader) else file.read
    pieces: list[bytes] = []
    size = 0
    is_first = True
    while piece := read(BLOCK_BYTES):
        cut = piece.rfind(b"\n") + 1
        if cut == 0:
            pieces.append(piece)
            size += len(piece)
            if size > MOST_LINE_BYTES:
                # A few kilobytes can unpack to gigabytes without a line end.
                problem = f"a line of more than {MOST_LINE_BYTES >> 20} MB: expected text in lines"
                raise FileError(path, problem)
            continue
        yield b"".join([*pieces, piece[:cut]])
        pieces = [piece[cut:]] if cut < len(piece) else []
        size = len(piece) - cut
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
