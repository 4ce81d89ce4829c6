"""The Python of the pages runs, from the first block of a page to its last; links lead on."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# Inline, or as a reference at the end of a page.
LINK = re.compile(r"\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$", re.MULTILINE)


def name(page):
    """The page as it is called in the repository."""
    return page.relative_to(ROOT).as_posix()


def pages():
    """The pages that show Python, by their names, with their texts."""
    texts = {name(page): page.read_text(encoding="utf-8") for page in PAGES}
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


def test_the_readme_the_guide_and_the_methods_are_among_them():
    assert {"README.md", "docs/guide/python.md", "docs/methods/ight.md"} <= set(pages())


def anchors(page):
    """The anchors of a page, as GitHub makes them of its headings."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_links_of_a_page_lead_somewhere(page):
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    for match in LINK.finditer(text):
        target = match[1] or match[2]
        if target.startswith(("http://", "https://")):
            continue
        file, _, anchor = target.partition("#")
        found = page.parent / file if file else page
        assert found.exists(), target
        if anchor:
            assert anchor in anchors(found), target


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in PAGES:
        place = page.relative_to(ROOT).as_posix().removeprefix("docs/")
        if page.is_relative_to(ROOT / "docs") and "derivations/" not in place:
            assert place == "README.md" or f"({place})" in index, place


def test_the_lines_of_a_page_are_wrapped():
    """Tables, code and what the laboratory writes apart."""
    for page in PAGES:
        if page.is_relative_to(ROOT / "docs" / "results"):
            continue
        text = FENCED.sub("", page.read_text(encoding="utf-8"))
        for line in text.splitlines():
            assert len(line) <= 100 or line.startswith(("|", "![")), f"{name(page)}: {line}"


def test_the_page_on_privacy_names_what_depends_on_the_table_and_is_not_covered():
    text = (ROOT / "docs" / "guide" / "privacy.md").read_text(encoding="utf-8")
    assert "`nnz`" in text
