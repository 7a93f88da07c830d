from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from calque.cli.common import Json, ModelFolderOption, Quiet, Threads, WeightsName, print_json
from calque.cli.console import Console
from calque.cli.evaluation import References, read_parallel, read_sentences
from calque.cli.files import READS
from calque.cli.log import Log


def calibrate(
    model: ModelFolderOption,
    source: Annotated[
        Path, typer.Option(metavar="F", help="Source sentences, one per line."), READS
    ],
    reference: References,
    weights: WeightsName = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Learn how sure translations are of their words, for the confidences of translate --json.

    [bold]calque calibrate --model model --source dev.de --reference dev.en[/]

    The calibration is stored in the model for its active weights, or for those of --weights.
    """
    sentences = read_sentences(source)
    references = [read_parallel(path, len(sentences), source) for path in reference]
    from calque.decode import load
    from calque.decode.calibrate import Judged, right_words
    from calque.decode.calibrate import calibrate as learn
    from calque.decode.confidence import write_calibration
    from calque.model import ModelWriter

    ModelWriter(model, update=True).check()
    translator = load(model, weights)
    console = Console(quiet or json, log)
    judged = []
    prepare = translator.model.preprocessor.target
    with console.stage("translate", len(sentences)) as stage:
        translations = translator.evidence(sentences, threads)
        for at, (translation, evidence) in enumerate(translations):
            wanted = [prepare(lines[at].replace("\n", " ")).split() for lines in references]
            judged.append(Judged(evidence, right_words(translation.words, wanted)))
            stage.advance()
    with console.stage("calibrate"):
        learned = learn(judged)
    facts = {"quality": asdict(learned.quality), "raw": asdict(learned.raw)}
    write_calibration(model, learned.calibration, weights, facts)
    if json:
        print_json({"calibration": learned.calibration.to_json(), **facts})
        return
    table = Table("", "AUC", "calibration error", box=None, header_style="bold", pad_edge=False)
    for name, quality in (("posteriors", learned.raw), ("calibrated", learned.quality)):
        table.add_row(name, f"{quality.auc:.3f}", f"{quality.calibration_error:.3f}")
    console.print(table)
    share = f"{100 * learned.quality.share_right:.1f} % of them right"
    console.print(f"{learned.quality.n_words:,} words, {share}; each half judged by the other")
    console.note(f"Next: calque translate --model {model} --json < TEXT")
