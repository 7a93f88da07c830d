"""The options as a page of documentation, so that no default is written twice."""

from __future__ import annotations

import inspect
from typing import Any

from calque.config.fill import expected
from calque.config.option import describe
from calque.config.signature import show


def to_markdown(groups: dict[str, type[Any]]) -> str:
    """A Markdown page with a table of the options under each heading."""
    lines = [
        "# Options",
        "",
        "Every option can be set on the command line (`--set key=value`) or in a TOML file",
        "(`--config FILE`), where the part before a dot is a table:",
        "",
        "```toml",
        "[lm]",
        "order = 4",
        "```",
        "",
        "This page is made by `make docs` from the option dataclasses in `src/calque/config/`.",
    ]
    for heading, options in groups.items():
        lines += ["", f"## {heading}", "", inspect.cleandoc(options.__doc__ or ""), ""]
        lines += ["| key | default | takes | meaning |", "|---|---|---|---|"]
        for info in describe(options):
            cells = (f"`{info.key}`", f"`{show(info.default)}`", expected(info), info.help)
            escaped = (cell.replace("|", "\\|") for cell in cells)
            lines.append(f"| {' | '.join(escaped)} |")
    return "\n".join(lines) + "\n"
