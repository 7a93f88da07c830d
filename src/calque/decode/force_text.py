from __future__ import annotations

from collections.abc import Sequence

from calque import _core
from calque.config import ForceOptions, ReorderingOptions
from calque.decode.decoder import Decoder
from calque.decode.forcing import encode_pairs
from calque.errors import CalqueError
from calque.model import Model


def force_text(
    decoder: Decoder, model: Model, source: Sequence[str], text: str, rules: ReorderingOptions
) -> _core.Derivation:
    """The best derivation of a translation of one sentence, under the reordering of `rules`.

    `source` are words as the model knows them, `text` is plain. Raises `CalqueError` where no
    derivation gives that text; the message says how far one gets.
    """
    words = model.preprocessor.target(text.replace("\n", " ") + "\n").split()
    if not words:
        raise CalqueError("the translation is empty: expected words")
    options = ForceOptions(**rules.rules(), max_words=len(source), min_prefix=1)
    encoded = encode_pairs([(" ".join(source), " ".join(words))], model)
    [forced] = decoder.force(*encoded, model.weights, options, derive_prefix=False, threads=1)
    if forced.reachable:
        return forced.best
    units = "rules" if model.decode_options.engine == "chart" else "blocks"
    what = f"no {units} of the model give '{' '.join(words)}'"
    if forced.truncated:
        raise CalqueError(f"{what}: the search was given up at {options.memory_mb:,} MB")
    if forced.prefix_target == 0:
        raise CalqueError(f"{what}: not even its first words can be derived")
    reached = " ".join(words[: forced.prefix_target])
    raise CalqueError(
        f"{what}: the first {forced.prefix_source} source words reach no further than '{reached}'"
    )
