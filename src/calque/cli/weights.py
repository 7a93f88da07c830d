from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from calque.cli.common import Json, ModelFolderOption, Quiet, Threads, print_json
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.cli.shown_weights import TOP, SparseNames, as_json, dense_table, sparse_table
from calque.errors import CalqueError, OptionError, hint

if TYPE_CHECKING:
    from calque.features import FeatureSet, Weights


class _Wanted(NamedTuple):
    """What the command line asks for."""

    model: Path
    words: tuple[str, ...]
    file: Path | None
    output: Path | None
    base: str | None
    least: float | None
    most: int | None
    top: int | None
    text: Path | None
    threads: int | None
    json: bool
    console: Console


def weights(
    model: ModelFolderOption,
    action: Annotated[
        str,
        typer.Argument(
            metavar="ACTION",
            help="show, set, copy, activate, average, prune or delete.",
        ),
    ] = "show",
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME", help="Names of weights; with set also FEATURE=VALUE, repeated."
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(metavar="F", help="set: take the weights from 'name value' lines."),
        READS,
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME",
            help="set: start from these weights (by default those of the same name, otherwise"
            " the active ones).",
        ),
    ] = None,
    least: Annotated[
        float | None,
        typer.Option(min=0, metavar="X", help="prune: drop sparse weights nearer to 0 than this."),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="prune: keep only the N largest sparse weights."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help=f"show: the N largest sparse weights ({TOP} by default)."
        ),
    ] = None,
    text: Annotated[
        Path | None,
        typer.Option(
            metavar="F",
            help="show: source sentences in which the names of sparse features are looked for"
            " (by default the training text that is stored in the model).",
        ),
        READS,
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="F",
            help="show: write all weights of one name to this file, as 'name value' lines.",
        ),
        WRITES,
    ] = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show, change and choose the weights of a model.

    [bold]calque weights --model model[/]

    [bold]calque weights --model model show mira --top 50 --text dev.de[/]

    [bold]calque weights --model model set mine --from mira word_count=0.6 language_model=0.4[/]

    [bold]calque weights --model model average mean mira1 mira2 mira3[/]

    [bold]calque weights --model model activate mean[/]

    Also: copy OLD NEW, prune NAME [NEW] --least 0.001 --most 1000000, delete NAME.
    """
    if action not in ACTIONS:
        raise OptionError(f"'{action}' is no action: {hint(action, ACTIONS)}")
    do, allowed = ACTIONS[action]
    given = {"file": file, "from": base, "least": least, "most": most}
    given |= {"top": top, "text": text, "output": output, "json": json or None}
    for name, value in given.items():
        if value is not None and name not in allowed:
            raise OptionError(f"--{name} does not go with {action}")
    console = Console(quiet or json)
    wanted = _Wanted(
        model=model,
        words=tuple(words or ()),
        file=file,
        output=output,
        base=base,
        least=least,
        most=most,
        top=top,
        text=text,
        threads=threads,
        json=json,
        console=console,
    )
    done = do(wanted)
    if done is not None:
        console.note(done)


def _show(wanted: _Wanted) -> str | None:
    from calque.model import ModelFolder, weight_names

    folder = ModelFolder(wanted.model)
    names = wanted.words or tuple(weight_names(folder))
    if wanted.output is not None:
        if len(names) != 1:
            raise OptionError("--output writes weights of one name: expected show NAME --output F")
        return _write(wanted, names[0])
    sets, largest = {}, {}
    sparse_names = SparseNames(wanted.model, wanted.text, wanted.threads, wanted.console)
    for name in names:
        sets[name], largest[name] = sparse_names.largest(name, wanted.top)
    if wanted.json:
        print_json(as_json(folder, sets, largest))
        return None
    wanted.console.print(dense_table(folder, sets))
    for name, rows in largest.items():
        if rows:
            wanted.console.print()
            wanted.console.print(sparse_table(name, len(sets[name].sparse), rows))
    return None


def _write(wanted: _Wanted, name: str) -> str:
    from calque.model import ModelFolder, read_weights
    from calque.text import open_output

    weights = read_weights(ModelFolder(wanted.model), name)
    if wanted.output is not None:
        with open_output(wanted.output) as file:
            file.write(weights.dense_text())
            file.writelines(weights.sparse.lines())
    return f"{wanted.output}: the weights '{name}'"


def _set(wanted: _Wanted) -> str:
    from calque.model import (
        Model,
        ModelFolder,
        active_name,
        read_weights,
        read_weights_file,
        store_weights,
        weight_names,
    )

    if not wanted.words:
        raise OptionError("expected set NAME FEATURE=VALUE.., or set NAME --file F")
    name, *assignments = wanted.words
    if not assignments and wanted.file is None:
        raise OptionError(f"expected set {name} FEATURE=VALUE.., or set {name} --file F")
    if wanted.file is not None and wanted.base is not None:
        raise OptionError("--file and --from are both given: expected one of them")
    folder = ModelFolder(wanted.model)
    features = Model.load(wanted.model).features
    if wanted.file is not None:
        weights = read_weights_file(wanted.file, features)
    else:
        known = name if name in weight_names(folder) else active_name(folder)
        weights = read_weights(folder, wanted.base or known)
    store_weights(wanted.model, name, _assigned(weights, assignments, features))
    return _stored(wanted, name)


def _assigned(weights: Weights, assignments: Sequence[str], features: FeatureSet) -> Weights:
    """The weights with some of them set anew: `feature=value`."""
    from calque.features import Weights

    lines = []
    for assignment in assignments:
        name, equals, value = assignment.rpartition("=")
        if not equals:
            raise OptionError(f"'{assignment}': expected FEATURE=VALUE")
        lines.append(f"{name.strip()} {value.strip()}")
    try:
        new = Weights.from_text("\n".join(lines), "set", features.key_of)
    except CalqueError as error:
        raise OptionError(str(error)) from None
    for name in new:
        if name not in features.names:
            raise OptionError(f"no feature is called '{name}': {hint(name, features.names)}")
    return weights.merged(new)


def _copy(wanted: _Wanted) -> str:
    from calque.model import ModelFolder, origin_of, read_weights, store_weights

    if len(wanted.words) != 2:
        raise OptionError("expected copy OLD NEW")
    old, new = wanted.words
    folder = ModelFolder(wanted.model)
    store_weights(wanted.model, new, read_weights(folder, old), origin_of(folder, old))
    return _stored(wanted, new)


def _activate(wanted: _Wanted) -> str:
    from calque.model import select_weights

    if len(wanted.words) != 1:
        raise OptionError("expected activate NAME")
    select_weights(wanted.model, wanted.words[0])
    return f"{wanted.model}: its weights are now '{wanted.words[0]}'"


def _average(wanted: _Wanted) -> str:
    from calque.features import Weights
    from calque.model import ModelFolder, read_weights, store_weights

    if len(wanted.words) < 3:
        raise OptionError("expected average NEW NAME NAME..: a new name, and those to average")
    new, *names = wanted.words
    folder = ModelFolder(wanted.model)
    mean = Weights.averaged([read_weights(folder, name) for name in names])
    store_weights(wanted.model, new, mean, {"average of": names})
    return _stored(wanted, new)


def _prune(wanted: _Wanted) -> str:
    from calque.features import Weights
    from calque.model import ModelFolder, read_weights, store_weights

    if len(wanted.words) not in (1, 2) or (wanted.least is None and wanted.most is None):
        raise OptionError("expected prune NAME [NEW] with --least X, --most N or both")
    old, new = wanted.words[0], wanted.words[-1]
    weights = read_weights(ModelFolder(wanted.model), old)
    kept = weights.sparse.pruned(min_magnitude=wanted.least or 0.0, most=wanted.most)
    limits = {"least": wanted.least, "most": wanted.most}
    store_weights(wanted.model, new, Weights(weights, kept), {"pruned": old, **limits})
    n_before = len(weights.sparse)
    return f"{len(kept):,} of {n_before:,} sparse weights stay\n{_stored(wanted, new)}"


def _delete(wanted: _Wanted) -> str:
    from calque.model import delete_weights

    if not wanted.words:
        raise OptionError("expected delete NAME..")
    delete_weights(wanted.model, wanted.words)
    return f"{wanted.model}: without the weights {', '.join(wanted.words)}"


ACTIONS = {
    "show": (_show, ("top", "text", "output", "json")),
    "set": (_set, ("file", "from")),
    "copy": (_copy, ()),
    "activate": (_activate, ()),
    "average": (_average, ()),
    "prune": (_prune, ("least", "most")),
    "delete": (_delete, ()),
}
"""What each action does, and the options that it takes."""


def _stored(wanted: _Wanted, name: str) -> str:
    use = f"calque weights --model {wanted.model} activate {name}"
    return f"{wanted.model}: has the weights '{name}' now; {use} makes it use them"
