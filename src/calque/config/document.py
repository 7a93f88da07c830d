"""The options as a page of documentation, so that no default is written twice."""

from __future__ import annotations

from typing import Any

from calque.config.fill import expected
from calque.config.option import describe


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
        lines += ["", f"## {heading}", "", (options.__doc__ or "").strip(), ""]
        lines += ["| key | default | takes | meaning |", "|---|---|---|---|"]
        for info in describe(options):
            takes = expected(info).replace("|", "\\|")
            lines.append(f"| `{info.key}` | `{_show(info.default)}` | {takes} | {info.help} |")
    return "\n".join(lines) + "\n"


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value) or '""'
