from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from json import dumps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from calque.cli.common import (
    Cluster,
    Flags,
    LeaveOneOut,
    PassThrough,
    Quiet,
    Terminology,
    Threads,
    left_out,
    with_flags,
)
from calque.cli.consensus import ByConsensus, Shares, agreement, load_systems
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.cli.log import Log
from calque.cli.stream import is_seen, is_typed, lines_as_they_come
from calque.config import ConsensusOptions, DecodeOptions, LeaveOneOutOptions
from calque.errors import OptionError
from calque.progress import SILENT, Progress
from calque.text import open_output, read_lines

if TYPE_CHECKING:
    from calque.decode import Translation


@with_flags(LeaveOneOutOptions, leave_out=("what",), argument="unseen")
@with_flags(ConsensusOptions, argument="consent", prefix="consensus_")
@with_flags(DecodeOptions)
def translate(
    model: Annotated[
        list[Path],
        typer.Option(metavar="DIR", help="The model folder; several with --consensus."),
        READS,
    ],
    flags: Flags,
    unseen: Flags,
    consent: Flags,
    input: Annotated[
        Path, typer.Option(metavar="F", help="Sentences, one per line; - is standard input."), READS
    ] = Path("-"),
    output: Annotated[
        Path, typer.Option(metavar="F", help="Translations; - is standard output."), WRITES
    ] = Path("-"),
    nbest: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Give n-best lists (Moses format) instead of single translations.",
        ),
    ] = None,
    nbest_output: Annotated[
        Path | None,
        typer.Option(
            metavar="F", help="Write the n-best lists here, and the translations to --output."
        ),
        WRITES,
    ] = None,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Write a JSON object per line: text, score, confidence, blocks, word links,"
            " unknown words.",
        ),
    ] = False,
    alignment_output: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Write the word links of each translation (Pharaoh)."),
        WRITES,
    ] = None,
    unknown_output: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Write the words that the model does not know (TSV)."),
        WRITES,
    ] = None,
    derivations: Annotated[
        bool,
        typer.Option(
            "--derivations", help="List every derivation, including several with the same words."
        ),
    ] = False,
    terminology: Terminology = None,
    pass_through: PassThrough = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            metavar="F",
            help="Write the translation graphs here, as JSON lines or (.dot) for Graphviz.",
        ),
        WRITES,
    ] = None,
    leave_one_out: LeaveOneOut = None,
    consensus: ByConsensus = False,
    consensus_shares: Shares = None,
    weights: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Weights to use; the active ones by default. Several with --consensus.",
        ),
    ] = None,
    threads: Threads = None,
    cluster: Cluster = None,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Translate text line by line; plain text if the model was trained on plain text.

    [bold]calque translate --model model < test.de > out.en[/]

    At a terminal, and between two programs, every line is answered at once:

    [bold]calque translate --model model[/]

    [bold]calque translate --model model --input test.de --output out.en
    --nbest 100 --nbest-output out.nbest --distortion-limit 8[/]

    [bold]calque translate --model model --input test.de --output out.en
    --alignment-output out.links --unknown-output unknown.tsv[/]

    [bold]calque translate --model model --json < test.de > out.jsonl[/]

    [bold]calque translate --model model --input test.de --output out.en
    --terminology terms.tsv --pass-through '<[^>]+>'[/]

    [bold]calque translate --model model --input train.de --output train.out
    --nbest 100 --nbest-output train.nbest --leave-one-out counts[/]

    The candidate that agrees most with the lists of two models, or of two weights of one:

    [bold]calque translate --model a --model b --consensus < test.de > out.en[/]

    [bold]calque translate --model a --weights mira1 --weights mira2 --consensus
      < test.de > out.en[/]
    """
    if nbest_output is not None and nbest is None:
        raise OptionError("--nbest-output F requires --nbest N")
    if derivations and nbest is None:
        raise OptionError("--derivations requires --nbest N")
    if graph is not None and (terminology is not None or pass_through is not None):
        raise OptionError("--graph cannot be combined with --terminology or --pass-through")
    forgotten = left_out(leave_one_out, unseen)
    if forgotten is not None and (graph or terminology or pass_through):
        raise OptionError(
            "--leave-one-out cannot be combined with --graph, --terminology or --pass-through"
        )
    agreed = agreement(consensus, consensus_shares, consent)
    if agreed is None and max(len(model), len(weights or ())) > 1:
        raise OptionError("several --model or --weights require --consensus")
    if agreed is not None and (derivations or forgotten or graph or cluster):
        raise OptionError(
            "--consensus cannot be combined with --derivations, --leave-one-out, --graph or"
            " --cluster"
        )
    from calque.decode import Consensus
    from calque.parallel import engine_of

    systems = load_systems(model, weights or ())
    for system in systems:
        system.options = flags.applied_to(system.options)
    translator = systems[0]
    terms = None if terminology is None else translator.terminology(terminology)
    decide = None if agreed is None else Consensus(systems, agreed.shares, agreed.options)
    console = Console(quiet, log)
    with ExitStack() as stack:

        def opened(path: Path | None) -> IO[str] | None:
            return None if path is None else stack.enter_context(open_output(path))

        out = stack.enter_context(open_output(output))
        lists = opened(nbest_output) or (out if nbest is not None and not json else None)
        alignments, graphs, unknown = map(opened, (alignment_output, graph, unknown_output))
        lists_in_json = nbest is not None and lists is None
        is_calibrated = all(system.calibration is not None for system in systems)
        writer = _Writer(out, lists, alignments, json, lists_in_json, is_calibrated)
        shows_bar = not is_typed(input) and not is_seen(output)
        progress: Progress = console if shows_bar else SILENT
        stage = stack.enter_context(progress.stage("translate", _n_lines(input)))

        def groups() -> Iterator[list[str]]:
            for lines in lines_as_they_come(input, console, out):
                if graphs is not None:
                    dot = _is_dot(graph)
                    graphs.writelines(translator.graph(line).to_text(dot=dot) for line in lines)
                yield lines

        if decide is not None:
            translations = decide.n_best_of_groups(
                groups(),
                nbest or 1,
                with_sparse=lists is not None,
                with_confidence=json,
                terminology=terminology,
                pass_through=pass_through,
                threads=threads,
            )
        else:
            translations = translator.n_best_of_groups(
                groups(),
                nbest or 1,
                distinct=not derivations,
                with_sparse=lists is not None,
                with_confidence=json,
                terminology=terms,
                pass_through=pass_through,
                leave_one_out=forgotten,
                engine=stack.enter_context(engine_of(cluster, threads)),
            )
        n_unknown = Counter[str]()
        for best in translations:
            writer.write(best)
            n_unknown.update(best[0].unknown)
            stage.advance()
        if unknown is not None:
            rows = sorted(n_unknown.items(), key=lambda row: (-row[1], row[0]))
            unknown.writelines(f"{word}\t{count}\n" for word, count in rows)


class _Writer:
    """Writes the translations of one sentence after the other, in all forms asked for."""

    def __init__(
        self,
        out: IO[str],
        lists: IO[str] | None,
        alignments: IO[str] | None,
        json: bool,
        lists_in_json: bool,
        is_calibrated: bool,
    ) -> None:
        """Take where translations, n-best lists and word links go; `lists` may be `out` itself."""
        self._out, self._lists, self._alignments = out, lists, alignments
        self._json, self._lists_in_json = json, lists_in_json
        self._is_calibrated = is_calibrated
        self._index = 0

    def write(self, translations: Sequence[Translation]) -> None:
        """Write the translations of the next sentence, best first."""
        from calque.hyps import list_of_translations, nbest_lines

        best = translations[0]
        if self._json:
            self._out.write(dumps(self._row(translations), ensure_ascii=False) + "\n")
        elif self._lists is not self._out:
            self._out.write(best.text + "\n")
        if self._lists is not None:
            self._lists.writelines(nbest_lines(list_of_translations(self._index, translations)))
        if self._alignments is not None:
            self._alignments.write(best.alignment() + "\n")
        self._index += 1

    def _row(self, translations: Sequence[Translation]) -> dict[str, Any]:
        row = {"id": self._index, "calibrated": self._is_calibrated, **translations[0].to_json()}
        if self._lists_in_json:
            row["nbest"] = [
                {"text": translation.text, "score": translation.score}
                for translation in translations
            ]
        return row


def _n_lines(path: Path) -> int | None:
    """How many lines there are, for the progress bar; unknown for a stream."""
    return sum(1 for _ in read_lines(path)) if path.is_file() else None


def _is_dot(path: Path | None) -> bool:
    return path is not None and path.suffix in (".dot", ".gv")
