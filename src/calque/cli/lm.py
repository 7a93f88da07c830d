from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calque.cli.common import Flags, Json, Quiet, Threads, check_output, print_json, with_flags
from calque.cli.console import Console
from calque.cli.files import READS, FileRole
from calque.cli.log import Log
from calque.config import LmOptions
from calque.errors import FileError, OptionError
from calque.text import CorpusEncoder, Sentences, Vocabulary, normalize, open_input, read_blocks

ARPA_ROLE = FileRole(writes=True, unless="text")


@with_flags(LmOptions)
def lm(
    flags: Flags,
    text: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Learn from these sentences, one per line."),
        READS,
    ] = None,
    arpa: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Write the model here; without --text, read it from here."),
        ARPA_ROLE,
    ] = None,
    score: Annotated[
        Path | None, typer.Option(metavar="F", help="Print the perplexity of this text."), READS
    ] = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Estimate an n-gram language model, or measure how well one predicts a text.

    [bold]calque lm --text train.en --order 5 --arpa lm.arpa.gz[/]

    [bold]calque lm --arpa lm.arpa.gz --score test.en[/]
    """
    from calque.lm import estimate, perplexity, pruned, read_arpa, write_arpa

    console = Console(quiet or json, log)
    if text is None:
        if arpa is None or score is None:
            raise OptionError("give --text F to learn a model, or --arpa F --score F to use one")
        if flags:
            raise OptionError("options of the estimation require --text F")
        with console.stage("read model"):
            model = read_arpa(arpa)
    else:
        options = flags.applied_to(LmOptions())
        if arpa is None and score is None:
            raise OptionError("give --arpa OUT to keep the model, or --score F to measure it")
        if arpa is not None:
            check_output(arpa)
        if score is not None and not score.is_fifo():  # which can be opened only once
            with open_input(score):
                pass
        vocabulary, sentences = _encode(text, console)
        model = estimate(sentences, vocabulary, options, console)
        if options.prune:
            with console.stage("prune") as stage:
                n_before = sum(model.n_ngrams)
                model = pruned(model, options.prune)
                stage.say(f"{sum(model.n_ngrams):,} of {n_before:,} n-grams stay")
        if arpa is not None:
            with console.stage("write model") as stage:
                write_arpa(model, arpa)
                stage.say(str(arpa))
    if score is None:
        if json:
            print_json({"order": model.order, "ngrams": model.n_ngrams})
        return
    result = perplexity(model, _encode_with(model.vocabulary, score), threads)
    if json:
        print_json(
            {
                "order": model.order,
                "sentences": result.n_sentences,
                "words": result.n_words,
                "unknown": result.n_unknown,
                "log_prob": result.log_prob,
                "perplexity": result.value,
                "perplexity_known": result.known,
            }
        )
    else:
        console.print(str(result))


def _encode(path: Path, console: Console) -> tuple[Vocabulary, Sentences]:
    encoder = CorpusEncoder()
    with console.stage("read") as stage:
        for block in read_blocks(path, stage):
            encoder.feed(normalize(block))
        vocabulary, sentences = encoder.finish()
        stage.say(f"{len(sentences):,} sentences, {sentences.n_words:,} words")
    if sentences.n_words == 0:
        raise FileError(path, "has no words to learn from")
    return vocabulary, sentences


def _encode_with(vocabulary: Vocabulary, path: Path) -> Sentences:
    sentences = vocabulary.encode("".join(normalize(block) for block in read_blocks(path)))
    if len(sentences) == 0:
        raise FileError(path, "is empty, expected at least one line")
    return sentences
