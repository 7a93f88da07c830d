from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from calque.config.corpus import CorpusOptions
from calque.data.corpus import N_REFERENCES, SPLITS, generate
from calque.data.example import PAIRS
from calque.errors import FileError, OptionError
from calque.progress import SILENT, Progress
from calque.text import open_output

_REPORT_EVERY = 1_000


@dataclass(frozen=True, slots=True)
class CorpusFiles:
    """Where a corpus lies: `train.vel`, `train.eng`, `dev.vel`, `dev.eng.0` to `dev.eng.3`, ..."""

    train_source: Path
    train_target: Path
    dev_source: Path
    dev_references: tuple[Path, ...]
    test_source: Path
    test_references: tuple[Path, ...]


def write_corpus(
    folder: Path | str,
    pair: str,
    sizes: Mapping[str, int],
    seed: int = CorpusOptions.seed,
    workers: int = 1,
    progress: Progress = SILENT,
) -> CorpusFiles:
    """The files of a generated corpus, one sentence a line; `sizes` by split.

    A split that `sizes` does not name has the default size. Files are streamed and appear under
    their names only when complete. A corpus of the same pair is replaced; `FileError` where files
    of another pair, or of somebody else, would be.
    """
    unknown = [split for split in sizes if split not in SPLITS]
    if unknown:
        raise OptionError(f"corpus: unknown split '{unknown[0]}'; expected train, dev or test")
    defaults = CorpusOptions()
    wanted = {split: sizes.get(split, getattr(defaults, split)) for split in SPLITS}
    streams = {s: generate(pair, s, n, seed, workers) for s, n in wanted.items()}
    files = _files(Path(folder), pair)
    _refuse_foreign(files)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for split, stream in streams.items():
            with (
                ExitStack() as stack,
                progress.stage(f"generate {split}", wanted[split]) as stage,
            ):
                # Opened last, the source gets its name first: a target never stands alone.
                *targets, source = (
                    stack.enter_context(open_output(p)) for p in reversed(files[split])
                )
                targets.reverse()
                for n_written, example in enumerate(stream, 1):
                    source.write(example.source + "\n")
                    for file, target in zip(targets, example.targets, strict=True):
                        file.write(target + "\n")
                    if n_written % _REPORT_EVERY == 0:
                        stage.advance(_REPORT_EVERY)
                stage.advance(wanted[split] % _REPORT_EVERY)
    except OSError as error:
        raise FileError(error.filename or folder, error.strerror or str(error)) from error
    return CorpusFiles(
        train_source=files["train"][0], train_target=files["train"][1],
        dev_source=files["dev"][0], dev_references=tuple(files["dev"][1:]),
        test_source=files["test"][0], test_references=tuple(files["test"][1:]),
    )  # fmt: skip


def _refuse_foreign(files: Mapping[str, Sequence[Path]]) -> None:
    """Raise where a target file is there without the source file of the same pair."""
    for source, *targets in files.values():
        for target in targets:
            if target.exists() and not source.exists():
                raise FileError(
                    target,
                    f"would be overwritten, and belongs to another corpus: there is no {source}"
                    " beside it; expected a new folder, or one with a corpus of the same pair",
                )


def _files(folder: Path, pair: str) -> dict[str, Sequence[Path]]:
    """The source file and then the target files of every split."""
    source, target = PAIRS[pair].source, PAIRS[pair].target
    files: dict[str, Sequence[Path]] = {
        split: [folder / f"{split}.{source}"]
        + [folder / f"{split}.{target}.{i}" for i in range(N_REFERENCES)]
        for split in SPLITS[1:]
    }
    files["train"] = [folder / f"train.{source}", folder / f"train.{target}"]
    return files
