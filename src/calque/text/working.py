from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import IO

from calque.errors import FileError
from calque.text.files import take_lock

LOCK = ".lock"
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
"""How a disk says that it has no locks."""


class WorkingFolder:
    """A temporary folder that goes with its owner, at the latest with the process.

    The folder holds a lock as long as it is in use. Killed processes leave theirs without: whoever
    makes a folder of the same kind removes them.
    """

    def __init__(self, kind: str, parent: Path | None = None) -> None:
        """Make a folder `calque-KIND-..` in `parent`, by default where temporary files go."""
        parent = Path(tempfile.gettempdir()) if parent is None else parent
        prefix = f"calque-{kind}-"
        _sweep(parent, prefix)
        try:
            while True:
                self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
                # Somebody else may have tidied it away already, or be at it.
                with contextlib.suppress(FileNotFoundError, BlockingIOError):
                    lock = _locked(self.path / LOCK)
                    if (self.path / LOCK).exists():
                        break
                    lock.close()
        except OSError as error:
            problem = f"working files cannot be created here: {error.strerror}"
            raise FileError(parent, problem) from error
        self._remove = weakref.finalize(self, _remove, self.path, lock)

    def close(self) -> None:
        """Remove the folder; arrays mapped from its files stay valid."""
        try:
            self._remove()
        except KeyboardInterrupt:  # Ctrl-C in the middle of it: what is left goes first
            for path in (self.path, _gone(self.path)):
                shutil.rmtree(path, ignore_errors=True)
            raise


def _locked(path: Path) -> IO[bytes]:
    """A new file, locked unless its disk has no locks: then nobody tidies up there."""
    try:
        return take_lock(path)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        return path.open("wb")


def _sweep(parent: Path, prefix: str) -> None:
    """Remove folders of this kind that are ours and that nobody holds."""
    with contextlib.suppress(OSError):
        for left in parent.glob(f"{prefix}*"):
            with contextlib.suppress(OSError):
                if left.lstat().st_uid == os.getuid() and not left.is_symlink():
                    with take_lock(left / LOCK, make=False):
                        shutil.rmtree(left, ignore_errors=True)


def _remove(path: Path, lock: IO[bytes]) -> None:
    gone = _gone(path)
    with contextlib.suppress(OSError):
        path.rename(gone)  # so that workers that still write find it no more
    try:
        shutil.rmtree(gone, ignore_errors=True)
    finally:
        lock.close()
    # A disk of another machine keeps what is open, the lock above all, under another name.
    shutil.rmtree(gone, ignore_errors=True)


def _gone(path: Path) -> Path:
    """The name of a folder while it is removed: that of a folder of its kind."""
    return path.with_name(f"{path.name}-gone")
