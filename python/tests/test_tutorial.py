"""The tutorial runs from its first cell to its last, and is kept as it ran."""

from pathlib import Path

import nbformat
import pytest
from ipykernel.kernelspec import write_kernel_spec
from nbclient import NotebookClient

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.ipynb"


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A kernel of the interpreter that runs the tests, whatever others are installed."""
    write_kernel_spec(str(tmp_path / "kernels" / "this"))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    return "this"


def outputs(notebook):
    """What the cells show."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [output for cell in cells for output in cell.outputs]


def assert_quiet(notebook):
    """Nothing failed, and nothing was warned of: the one warning that is taught is printed."""
    for output in outputs(notebook):
        assert output.output_type != "error", output
        assert output.get("name") != "stderr", output.text


def test_the_tutorial_runs_without_errors_and_warnings(kernel, tmp_path):
    notebook = nbformat.read(TUTORIAL, as_version=4)
    where = {"metadata": {"path": str(tmp_path)}}
    client = NotebookClient(notebook, kernel_name=kernel, timeout=300, resources=where)
    # It raises at the first cell that fails, with the cell and the traceback.
    client.execute()
    assert_quiet(notebook)
    printed = "".join(output.get("text", "") for output in outputs(notebook))
    assert "a private estimator is being fitted several times" in printed


def test_the_tutorial_is_kept_with_its_outputs_and_small():
    notebook = nbformat.read(TUTORIAL, as_version=4)
    nbformat.validate(notebook)
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1)), "run it from the first cell to the last"
    assert_quiet(notebook)
    pictures = [output for output in outputs(notebook) if "image/png" in output.get("data", {})]
    assert pictures
    text = TUTORIAL.read_text(encoding="utf-8")
    assert len(text.encode()) < 150_000
    for place in ["/home/", "/tmp/", "/Users/", "site-packages"]:
        assert place not in text
