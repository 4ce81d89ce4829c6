"""The command that the package puts on the path: in all that it does, the one that cargo builds."""

import os
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import reticent

SCRIPT = [str(Path(sysconfig.get_path("scripts")) / "reticent")]
MODULE = [sys.executable, "-m", "reticent"]

both = pytest.mark.parametrize("launcher", [SCRIPT, MODULE], ids=["script", "module"])
unix = pytest.mark.skipif(os.name == "nt", reason="signals and pipes as Unix has them")

# One per exit code and stream, and the texts that name the command.
ARGUMENTS = {
    "version": ["--version"],
    "help": ["--help"],
    "help of a command": ["fit", "-h"],
    "nothing": [],
    "unknown flag": ["verify", "--nothing"],
    "refused": ["account", "--delta", "2", "--event", "gaussian:noise=20"],
    "refused by the command itself": ["account", "--event", "gaussian:noise=20"],
    "no such file": ["inspect", "nowhere.json"],
    "an answer": ["account", "--delta", "1e-9", "--event", "gaussian:noise=20,count=30"],
    "json": ["plan", "--n", "9000", "--d", "12", "--task", "logistic", "--rows", "linf=1",
             "--epsilon", "1", "--delta", "1e-9", "--json"],
    "completions": ["completions", "bash"],
    "manual": ["man"],
    "not Unicode": ["inspect", "\udcff"],
}  # fmt: skip


def run(launcher, *arguments, **options):
    """Exit code, standard output and standard error."""
    # As a file would be named, in bytes that are no text.
    done = subprocess.run([*launcher, *map(os.fsencode, arguments)], capture_output=True, **options)
    return done.returncode, done.stdout, done.stderr


@both
@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS)
def test_it_answers_as_the_program_of_cargo_does(launcher, arguments, binary):
    assert run(launcher, *arguments) == run([str(binary)], *arguments)


def test_it_writes_the_same_model(binary, tmp_path):
    table = tmp_path / "table.svm"
    rows = [f"{number % 2} {1 + number % 5}:1 {6 + number % 3}:0.5" for number in range(400)]
    table.write_text("\n".join(rows) + "\n")
    fit = ["fit", str(table), "--task", "logistic", "--classes", "0,1", "--columns", "8", "--rows",
           "linf=1", "--epsilon", "1", "--delta", "1e-6", "--seed", "3", "--out"]  # fmt: skip
    for launcher, name in [([str(binary)], "one"), (SCRIPT, "other")]:
        code, _, err = run(launcher, *fit, str(tmp_path / name))
        assert code == 0, err
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_its_version_is_that_of_the_package():
    assert run(SCRIPT, "--version")[1].decode().split() == ["reticent", reticent.__version__]


def test_it_imports_neither_numpy_nor_scikit_learn():
    program = (
        "import sys; sys.argv = ['reticent', '--version']; import reticent.__main__ as it; "
        "code = it.main(); assert code == 0; "
        "print([name for name in ('numpy', 'scipy', 'sklearn') if name in sys.modules])"
    )
    code, out, err = run([sys.executable], "-c", program)
    assert code == 0, err
    assert out.splitlines()[-1] == b"[]"


def test_each_public_name_is_found_when_it_is_used():
    assert set(reticent._PLACES) < set(reticent.__all__) <= set(dir(reticent))
    for name in reticent.__all__:
        assert getattr(reticent, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        reticent.nothing_of_this_name  # noqa: B018


@unix
@both
def test_a_reader_that_stops_reading_is_no_error(launcher):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer) as out:
        done = subprocess.run([*launcher, "fit", "--help"], stdout=out, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")


@unix
def test_no_file_takes_the_place_of_a_closed_stream(binary, tmp_path):
    kept = []
    for name, program in [("program", binary), ("package", SCRIPT[0])]:
        folder = tmp_path / name
        typed = f"exec '{program}' demo --keep '{folder}' <&- >&- 2>&-"
        assert subprocess.run(["sh", "-c", typed]).returncode == 0
        model = folder / "model.json"
        # The only file that is not the same twice: it is fitted with noise.
        assert reticent.load(model).certificate_.verify().holds
        model.unlink()
        kept.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert kept[0] == kept[1]
    assert len(kept[0]) == 3


@unix
@both
def test_an_interrupt_ends_it_without_a_traceback(launcher, binary, tmp_path):
    ends = []
    for name, program in [("program", [str(binary)]), ("package", launcher)]:
        pipe = tmp_path / f"{name}.svm"
        os.mkfifo(pipe)
        fit = ["fit", str(pipe), "--task", "logistic", "--rows", "linf=1", "--epsilon", "1",
               "--delta", "1e-6", "--out", str(tmp_path / "model")]  # fmt: skip
        running = subprocess.Popen([*program, *fit], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        # Opened as soon as the command begins to read; it then waits for a line.
        with open(pipe, "w"):
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=60)
        ends.append((running.returncode, out, err))
    assert ends[0] == ends[1]
    code, out, err = ends[0]
    assert code == 130
    assert out == b""
    assert err.startswith(b"error: interrupted; nothing was spent")
