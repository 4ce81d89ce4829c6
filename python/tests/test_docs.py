"""The Python in the pages runs, from the first block of a page to its last."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages():
    """The pages that show Python, by their names, with their texts."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    texts = {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in files}
    return {page: text for page, text in texts.items() if "```python" in text}


@pytest.mark.parametrize("page", pages())
def test_the_python_of_a_page_runs_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = pages()[page]
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == text.count("```python"), "a block is not closed, or is indented"
    names = {"__name__": page}
    for block in blocks:
        # Empty lines before it, so that a traceback has the lines of the page.
        before = "\n" * text.count("\n", 0, block.start(1))
        exec(compile(before + block[1], page, "exec"), names)


def test_the_page_on_python_is_among_them():
    assert str(Path("docs/python.md")) in pages()
