"""The examples of every public object of the installed package, in Python and in Rust, run."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import reticent
from reticent.privacy import Certificate

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules():
    """The package and its public modules."""
    yield reticent
    for found in pkgutil.walk_packages(reticent.__path__, "reticent."):
        if not any(part.startswith("_") for part in found.name.split(".")):
            yield importlib.import_module(found.name)


def documented():
    """Each public object once, by its name."""
    seen = {}
    for module in modules():
        seen.setdefault(id(module), (module.__name__, module))
        for name in module.__all__:
            thing = getattr(module, name)
            if not (inspect.isclass(thing) or inspect.isroutine(thing)):
                continue
            seen.setdefault(id(thing), (f"{module.__name__}.{name}", thing))
            if inspect.isclass(thing):
                seen.update(methods(f"{module.__name__}.{name}", thing))
    return list(seen.values())


def methods(prefix, kind):
    """The public methods that a class of the package defines itself."""
    for name, method in vars(kind).items():
        if not name.startswith("_") and (
            inspect.isroutine(method) or isinstance(method, staticmethod | classmethod)
        ):
            yield (prefix, name), (f"{prefix}.{name}", getattr(kind, name))


def run(text, names):
    """Runs the examples of a docstring, if there are any; they see and may add to the names."""
    test = doctest.DocTestParser().get_doctest(text, {}, "docstring", None, 0)
    test.globs = names
    report = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    failed = runner.run(test, out=report.append, clear_globs=False).failed
    assert failed == 0, "".join(report)
    return len(test.examples)


def certificate():
    """The certificate that the example of its class makes, and the other examples use."""
    names = {}
    run(Certificate.__doc__, names)
    return names["certificate"]


@pytest.mark.parametrize("thing", [pytest.param(thing, id=name) for name, thing in documented()])
def test_every_public_object_has_an_example_and_the_example_runs(thing):
    text = inspect.getdoc(thing)
    assert text, "it has no docstring"
    names = {} if thing is Certificate else {"certificate": certificate()}
    examples = run(text, names)
    # What a method does may be shown by its class.
    method = "." in thing.__qualname__ if hasattr(thing, "__qualname__") else False
    assert examples or method, "its docstring has no example"


def test_the_objects_of_the_engine_are_among_them():
    names = [name for name, _ in documented()]
    assert "reticent.privacy.Certificate.verify" in names
    assert "reticent.privacy.account" in names
