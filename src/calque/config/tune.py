from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class TaskOptions:
    """What tuning learns from, whatever the method."""

    metric: str = option("bleu", "what weights are tuned for")
    list_length: int = option(
        100, "candidates per sentence that the decoder is asked for each round", least=1
    )
    memory_mb: int = option(2048, "memory for candidates; more of them are kept in files", least=1)


TASK_DEFAULTS = TaskOptions()


@dataclass(frozen=True)
class RoundOptions:
    """What every method in rounds of candidates and updates has; methods add their own."""

    rounds: int = option(10, "most rounds of decoding and tuning", least=1)
    settled: float = option(
        1e-3, "stop where no weight changes by more than this share of the largest", least=0
    )
    fixed: str = option(
        "",
        "weights that stay as they are, separated by commas: features, families of sparse"
        " features, or all that are 'dense' or 'sparse'",
    )
    most_sparse: int = option(
        0,
        "sparse features whose weights may move, those that most candidates of the first round"
        " have; 0: all",
        least=0,
    )
