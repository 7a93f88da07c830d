from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calque.cli.common import Flags, Json, Quiet, Threads, check_output, print_json, with_flags
from calque.cli.console import Console
from calque.cli.files import READS, FileRole
from calque.cli.log import Log
from calque.config import LmOptions
from calque.errors import FileError, OptionError
from calque.text import CorpusEncoder, Sentences, Vocabulary, normalize, open_input, read_blocks

if TYPE_CHECKING:
    from calque.lm import LanguageModel

ARPA_ROLE = FileRole(writes=True, unless=("text", "mix"))


@with_flags(LmOptions)
def lm(
    flags: Flags,
    text: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="F",
            help="Learn from these sentences, one per line; repeat for a model of each text.",
        ),
        READS,
    ] = None,
    mix: Annotated[
        list[Path] | None,
        typer.Option(metavar="F", help="Interpolate with this model (ARPA), too; repeat."),
        READS,
    ] = None,
    dev: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Text that tells how much each of several models counts."),
        READS,
    ] = None,
    arpa: Annotated[
        Path | None,
        typer.Option(
            metavar="F", help="Write the model here; without --text and --mix, read it from here."
        ),
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

    Several texts or models are interpolated, with the weights that predict a text best:

    [bold]calque lm --text train.en --text news.en --mix old.arpa --dev dev.en --arpa lm.arpa.gz[/]
    """
    from calque.lm import perplexity, read_arpa, write_arpa

    console = Console(quiet or json, log)
    weights: list[float] = []
    if not text and not mix:
        if arpa is None or score is None:
            raise OptionError("give --text F to learn a model, or --arpa F --score F to use one")
        if flags or dev is not None:
            raise OptionError("--dev and options of the estimation require --text F or --mix F")
        with console.stage("read model"):
            model = read_arpa(arpa)
    else:
        options = flags.applied_to(LmOptions())
        if arpa is None and score is None:
            raise OptionError("give --arpa OUT to keep the model, or --score F to measure it")
        if arpa is not None:
            check_output(arpa)
        for needed in (*(mix or ()), *(path for path in (dev, score) if path is not None)):
            if not needed.is_fifo():  # which can be opened only once
                with open_input(needed):
                    pass
        model, weights = _learned(text or [], mix or [], dev, options, threads, console)
        if arpa is not None:
            with console.stage("write model") as stage:
                write_arpa(model, arpa)
                stage.say(str(arpa))
    made: dict[str, Any] = {"order": model.order}
    if weights:
        made["weights"] = weights
    if score is None:
        if json:
            print_json({**made, "ngrams": model.n_ngrams})
        return
    result = perplexity(model, _encode_with(model.vocabulary, score), threads)
    if json:
        print_json(
            {
                **made,
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


def _learned(
    texts: list[Path],
    others: list[Path],
    dev: Path | None,
    options: LmOptions,
    threads: int | None,
    console: Console,
) -> tuple[LanguageModel, list[float]]:
    """The model of texts and of other models, and the weight of each where there are several."""
    from calque.lm import estimate, interpolated, mixture_weights, pruned, read_arpa

    paths = [*texts, *others]
    if len(paths) > 1 and dev is None:
        raise OptionError("several texts or models: give --dev F, on which their weights are tuned")
    if len(paths) == 1 and dev is not None:
        raise OptionError(
            "--dev F is for weights of several texts or models: give another of these"
        )
    models = []
    for path in texts:
        vocabulary, sentences = _encode(path, console)
        models.append(estimate(sentences, vocabulary, options, console))
    for path in others:
        with console.stage("read model") as stage:
            models.append(read_arpa(path))
            stage.say(str(path))
    model, weights = models[0], list[float]()
    if dev is not None:
        vocabulary, sentences = _encode(dev, console)
        with console.stage("interpolate") as stage:
            weights = mixture_weights(models, sentences, vocabulary, threads).tolist()
            model = interpolated(models, weights)
            shares = zip(paths, weights, strict=True)
            stage.say(", ".join(f"{path.name} {weight:.3f}" for path, weight in shares))
    if options.prune:
        with console.stage("prune") as stage:
            n_before = sum(model.n_ngrams)
            model = pruned(model, options.prune)
            stage.say(f"{sum(model.n_ngrams):,} of {n_before:,} n-grams stay")
    return model, weights


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
