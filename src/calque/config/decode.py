from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class DecodeOptions:
    """How the decoder searches: what it may reorder and what it prunes."""

    distortion_limit: int = option(
        6, "most source words between the end of a block and the next; -1: no limit", least=-1
    )
    stack_size: int = option(200, "hypotheses kept per stack; 0: all", least=0)
    pop_limit: int = option(400, "steps tried per stack by cube pruning; 0: every one", least=0)
    threshold: float = option(
        0.0, "cut hypotheses whose score is this far below the stack's best; 0: none", least=0
    )
    options_per_span: int = option(20, "translation options kept per source span; 0: all", least=0)
