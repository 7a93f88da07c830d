"""Damaged files for every reader: `python tests/fuzz.py --cases 10000` (of each reader).

A reader may take a damaged file or refuse it with a `CalqueError`. Anything else is a finding:
another exception, a crash, a case of more than `LIMIT_S` seconds. Every reader runs in a process of
its own; a case is known by its reader and number, and comes back with `--reader R --first N`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np

from calque.align import Alignments, read_pharaoh, write_pharaoh
from calque.blocks import read_hiero_table, read_moses_table
from calque.config import FeatureOptions, TrainOptions, from_toml
from calque.data import write_corpus
from calque.decode import Translator
from calque.errors import CalqueError
from calque.features.classes import read_brown, read_tags
from calque.hyps import read_nbest
from calque.hyps.part import Part
from calque.hyps.weights import read_weights
from calque.lm import read_arpa
from calque.metrics.external import ExternalScores
from calque.model import Model, ModelFolder, ModelWriter
from calque.model.build import build
from calque.model.manifest import FILE_NAME, _checksum
from calque.report.read import read_run
from calque.text import BitextFiles, Sentences, read_lines
from calque.text.tmx import read_units
from calque.tune.checkpoint import read_weights as read_checkpoint

LIMIT_S = 20
TOKENS = [
    b"\x00", b"\xff", b"\n", b"\r", b"\t", b" ||| ", b"-", b"nan", b"1e999", b"-0", b"9" * 30,
    b"[" * 200, b"{" * 50, b"<hi>" * 50, b"\\ud800", b"\xed\xa0\x80", b"null", b"\"", b":", b"=",
]  # fmt: skip
Case = Callable[[random.Random, Path], None]


def damaged(seed: bytes, rng: random.Random) -> bytes:
    """A file after one to six accidents."""
    data = bytearray(seed)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(6):
            case 0 if data:
                data[at % len(data)] ^= 1 << rng.randrange(8)
            case 1:
                del data[at : at + rng.randint(1, 40)]
            case 2:
                data[at:at] = rng.choice(TOKENS)
            case 3:
                piece = rng.randrange(len(data) + 1)
                data[at:at] = data[piece : piece + rng.randint(1, 60)]
            case 4:
                data[at : at + rng.randint(1, 4)] = rng.randbytes(rng.randint(1, 4))
            case _:
                data = data[:at] if rng.random() < 0.2 else data
    return bytes(data)


def of_file(seed: bytes, read: Callable[[Path], object], suffix: str = "") -> Case:
    def case(rng: random.Random, folder: Path) -> None:
        path = folder / f"file{suffix}"
        path.write_bytes(damaged(seed, rng))
        read(path)

    return case


def text_readers(folder: Path) -> dict[str, Case]:
    sentences = Sentences.from_lists([[3, 4, 5], [6, 7]])
    write_pharaoh(folder / "links", Alignments.from_lists([[(0, 0), (1, 1)], [(1, 0)]]))
    moses = b"0 ||| a small girl ||| LM0= -12.5 TM0= -1.2 -3.4 ||| -4.21\n" * 3
    row = {"id": 0, "text": "a small girl", "features": {"lm": -12.5, "tm": 1}, "score": -4.2}
    arpa = (
        b"\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-1 <unk>\n-99 <s> -0.3\n-0.5 </s>\n"
        b"-0.4 a -0.2\n\n\\2-grams:\n-0.1 <s> a\n-0.2 a </s>\n\n\\end\\\n"
    )
    tmx = (
        b'<?xml version="1.0"?><tmx version="1.4"><header/><body><tu><tuv xml:lang="de"><seg>Ein'
        b' <hi>Haus</hi></seg></tuv><tuv xml:lang="en"><seg>A house</seg></tuv></tu></body></tmx>'
    )
    toml = b'seed = 1\nkeep_bitext_mb = 3\n[lm]\norder = 3\n[features]\ndense = "standard"\n'
    return {
        "lines": of_file("ein Häuschen\nzwei\n".encode(), lambda path: list(read_lines(path))),
        "tmx": of_file(tmx, lambda path: list(read_units(path))),
        "toml": of_file(toml, lambda path: from_toml(TrainOptions(), path)),
        "nbest-moses": of_file(moses, read_nbest),
        "nbest-joshua": of_file(b"0 ||| a girl ||| lm_0=-1 tm_0=2 ||| -4.2\n" * 3, read_nbest),
        "nbest-json": of_file((json.dumps(row) + "\n").encode() * 3, read_nbest),
        "weights": of_file(b"lm 0.5\ntm= 1 2\n#0123456789abcdef 3\n", read_weights),
        "arpa": of_file(arpa, read_arpa),
        "rules-moses": of_file(
            b"a [X][X] [X] ||| [X][X] b [X] ||| 0.5 1 0.1 1 ||| 0-1 1-0 ||| 2 3 1 ||| |||\n" * 2,
            lambda path: read_moses_table(path, with_gaps=True),
        ),
        "rules-hiero": of_file(
            b"[X] ||| a [X,1] ||| [X,1] b ||| 0.5 1 0.1 1 ||| 0-1\n" * 2, read_hiero_table
        ),
        "pharaoh": of_file(
            (folder / "links").read_bytes(), lambda path: read_pharaoh(path, sentences, sentences)
        ),
        "brown": of_file(b"0110\thaus\t12\n10\tmaus\t3\n", read_brown),
        "tags": of_file(b"haus N\nlaufen V\n", read_tags),
        "external": of_file(b"0.1\n0.7\n1\n", ExternalScores.read),
    }


def array_readers(folder: Path) -> dict[str, Case]:
    part = Part(
        np.array([0, 1]), np.zeros((2, 2)), np.array([0, 1, 2]), np.array([0, 1], np.int32),
        np.ones(2, np.uint8), np.zeros((2, 4)), np.ones(2, np.int32),
        np.frombuffer(b"ab", np.uint8), np.array([0, 1, 2]), np.array([7, 8], np.uint64),
    )  # fmt: skip
    part.write(folder / "part.npz")
    seed = (folder / "part.npz").read_bytes()
    run = folder / "run"
    run.mkdir()
    head = {"format": "calque-run", "method": "mira", "options": {}, "seed": 1, "metric": "bleu"}
    rounds = b'{"round": 0, "score": 1.5, "length_ratio": 1.0, "n_candidates": 3}\n' * 2

    def read_damaged_run(rng: random.Random, place: Path) -> None:
        whole = json.dumps(head).encode()
        is_head = rng.random() < 0.5
        (run / "run.json").write_bytes(damaged(whole, rng) if is_head else whole)
        (run / "rounds.jsonl").write_bytes(rounds if is_head else damaged(rounds, rng))
        read_run(run)

    return {
        "pool": of_file(seed, Part.load, ".npz"),
        "checkpoint": of_file(seed, read_checkpoint, ".npz"),
        "run": read_damaged_run,
    }


def model_readers(folder: Path) -> dict[str, Case]:
    corpus = write_corpus(folder / "corpus", "near", {"train": 150, "dev": 1, "test": 1})
    path = folder / "model"
    dense = "local-model + relevant-set-7 + class_language_model"
    options = TrainOptions(features=FeatureOptions(dense=dense, sparse="all"))
    build(BitextFiles(corpus.train_source, corpus.train_target), path, options, threads=1)
    [sentence] = list(read_lines(corpus.test_source))
    entries = dict(ModelFolder(path).manifest.entries)
    names = sorted(entries)
    arrays = [name for name in names if entries[name].file.endswith(".npy")]
    manifest = (path / FILE_NAME).read_text()

    def use() -> None:
        Translator(Model.load(path)).translate(sentence)

    def bytes_of_a_file(rng: random.Random, place: Path) -> None:
        file = path / entries[rng.choice(names)].file
        before = file.read_bytes()
        data = bytearray(before)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        file.write_bytes(data)
        try:
            use()
        finally:
            file.write_bytes(before)

    def values_with_checksums(rng: random.Random, place: Path) -> None:
        """Other values in an array, and the right checksums: what an attacker would write."""
        name = rng.choice(arrays)
        before = np.array(ModelFolder(path).array(name))
        data = bytearray(before.tobytes())
        for _ in range(rng.choice([1, 1, 1, 5, 50])):
            if data:
                at = rng.randrange(len(data))
                extreme = rng.choice([b"\xff" * 8, b"\x00" * 8, b"\xff\xff\xff\x7f", b"\x01"])
                piece = extreme if rng.random() < 0.5 else rng.randbytes(rng.randint(1, 8))
                data[at : at + len(piece)] = piece[: len(data) - at]
        changed = np.frombuffer(bytes(data), before.dtype).reshape(before.shape)
        try:
            with ModelWriter(path, update=True) as writer:
                writer.array(name, changed)
                writer.commit({})
            use()
        finally:
            with ModelWriter(path, update=True) as writer:
                writer.array(name, before)
                writer.commit({})

    def manifest_with_checksum(rng: random.Random, place: Path) -> None:
        try:
            body = json.loads(damaged(manifest.encode(), rng))
            if isinstance(body, dict):
                body.pop("checksum", None)
                body["checksum"] = _checksum(body)
            text = json.dumps(body)
        except (ValueError, RecursionError):
            text = damaged(manifest.encode(), rng).decode("latin-1")
        try:
            (path / FILE_NAME).write_text(text, encoding="latin-1", errors="replace")
            use()
        finally:
            (path / FILE_NAME).write_text(manifest)

    return {
        "model-bytes": bytes_of_a_file,
        "model-values": values_with_checksums,
        "model-manifest": manifest_with_checksum,
    }


READERS = {
    text_readers: ["lines", "tmx", "toml", "nbest-moses", "nbest-joshua", "nbest-json", "weights",
                   "arpa", "rules-moses", "rules-hiero", "pharaoh", "brown", "tags", "external"],
    array_readers: ["pool", "checkpoint", "run"],
    model_readers: ["model-bytes", "model-values", "model-manifest"],
}  # fmt: skip


def too_long(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"more than {LIMIT_S} s")


def run_cases(reader: str, first: int, n: int, seed: int) -> int:
    """The number of findings, which are printed; the case that runs is on stderr."""
    kind = next(kind for kind, names in READERS.items() if reader in names)
    findings = 0
    signal.signal(signal.SIGALRM, too_long)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as temporary:
        folder = Path(temporary)
        case = kind(folder)[reader]
        for number in range(first, first + n):
            print(number, file=sys.stderr)
            signal.alarm(LIMIT_S)
            try:
                with contextlib.suppress(CalqueError):
                    case(random.Random(f"{seed} {reader} {number}"), folder)
            except Exception as error:
                findings += 1
                print(f"{reader} {number}: {error!r:.300}", flush=True)
            signal.alarm(0)
    return findings


def fuzz(reader: str, first: int, n: int, seed: int = 1) -> tuple[int, list[str]]:
    """How many cases ran in a process of their own, and what they found, crashes included."""
    command = [sys.executable, __file__, "--reader", reader, "--inside"]
    numbers = ["--first", str(first), "--cases", str(n), "--seed", str(seed)]
    done = subprocess.run([*command, *numbers], capture_output=True, text=True, check=False)
    findings = done.stdout.splitlines()
    last = [line for line in done.stderr.splitlines() if line.isdigit()]
    if done.returncode not in (0, 1) or len(last) < n:
        where = last[-1] if last else "none"
        findings.append(f"{reader} {where}: exit {done.returncode}: {done.stderr[-300:]!r}")
    return len(last), findings


def main() -> None:
    """Fuzz every reader, or one of them."""
    readers = [name for names in READERS.values() for name in names]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reader", choices=readers)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inside", action="store_true", help="in this process")
    given = parser.parse_args()
    if given.inside:
        sys.exit(run_cases(given.reader, given.first, given.cases, given.seed) > 0)
    total, found = 0, 0
    for reader in [given.reader] if given.reader else readers:
        n, findings = fuzz(reader, given.first, given.cases, given.seed)
        total, found = total + n, found + len(findings)
        print(f"{reader}: {n:,} cases, {len(findings)} findings", *findings, sep="\n  ", flush=True)
    print(f"{total:,} cases, {found} findings")
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
