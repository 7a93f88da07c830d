"""The pages under docs/ say what is true: their commands run, their links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
SMALLER = {
    "--train 4400": "--train 900 --dev 5 --test 5",
    "--run runs": "--set rounds=2 --run runs",
}
"""A smaller text for the tutorial: what it shows does not depend on the size."""


def commands(page: str) -> str:
    """The commands of a page: its blocks of code without a language."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return "".join(code for language, code in blocks if not language)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a Unix shell")
def test_the_tutorial_can_be_followed(tmp_path: Path) -> None:
    script = commands((ROOT / "docs" / "tutorial.md").read_text())
    for shown, smaller in SMALLER.items():
        assert shown in script
        script = script.replace(shown, smaller)
    # The command of this environment, whatever else is on the path.
    start = f'calque() {{ "{sys.executable}" -m calque "$@"; }}\n'
    result = subprocess.run(
        ["bash", "-c", f"set -e\n{start}{script}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "100"},
    )
    assert result.returncode == 0, result.stderr
    for name in ("compare.html", "report.html", "tuned.eng", "model/manifest.json"):
        assert (tmp_path / name).stat().st_size > 0
    assert "contribution" in result.stdout
    assert result.stdout.splitlines()[-1].endswith("a seafarer.")


def anchors(page: Path) -> set[str]:
    """What a link may point to inside a page: headings as GitHub and MkDocs spell them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {re.sub(r"\s", "-", heading.strip()) for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors(file), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_have_as_many_cells_in_every_row(page: Path) -> None:
    """A `|` inside a cell that is not escaped cuts the cell off where the page is rendered."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        assert len(widths) == 1, f"{page.name}: {table.splitlines()[0]}"


def test_the_site_shows_every_page() -> None:
    shown = re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    pages = sorted(page.name for page in (ROOT / "docs").glob("*.md"))
    assert sorted(shown) == pages, "list the new page in mkdocs.yml and docs/index.md"
    index = (ROOT / "docs" / "index.md").read_text()
    assert all(f"({name})" in index for name in shown if name != "index.md")
