from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class TaskOptions:
    """What tuning learns from, whatever the method."""

    metric: str = option("bleu", "metric that the weights are tuned for")
    list_length: int = option(100, "length of the n-best lists decoded in each round", least=1)
    memory_mb: int = option(
        2048, "memory for candidates, in MB; what does not fit is kept in files", least=1
    )


TASK_DEFAULTS = TaskOptions()


@dataclass(frozen=True)
class RoundOptions:
    """What every method in rounds of candidates and updates has; methods add their own."""

    rounds: int = option(10, "maximum number of rounds of decoding and tuning", least=1)
    min_change: float = option(
        1e-3,
        "stop when no weight changes by more than this fraction of the largest weight",
        least=0,
        was="settled",
    )
    fixed: str = option(
        "",
        "weights that stay as they are, separated by commas: names of features, families of"
        " sparse features, or 'dense' or 'sparse' for all weights of a kind",
    )
    most_sparse: int = option(
        0,
        "number of sparse features whose weights may change: the most frequent ones among"
        " the candidates of the first round; 0 for all",
        least=0,
    )
