"""The package and the command: the same models, the same files, the same predictions."""

import csv
import io

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import reticent
from reticent import PrivateLasso, PrivateLinearRegression, PrivateLogisticRegression

PROMISES = {"epsilon": 2.0, "delta": 1e-6}

# A name, an estimator without its promises, what it is told, and the same for the command.
CASES = {
    "logistic": (PrivateLogisticRegression, {"row_bound": ("l2", 2.0)}, ["--rows", "l2=2"]),
    "multinomial": (PrivateLogisticRegression, {"row_bound": ("linf", 1)}, ["--rows", "linf=1"]),
    "linear": (
        PrivateLinearRegression,
        {"row_bound": ("linf", 1), "target_range": (-6, 6), "nonzero": 3},
        ["--rows", "linf=1", "--target-range=-6,6", "--nonzero", 3],
    ),
    "linear by frank-wolfe": (
        PrivateLasso,
        {"row_bound": ("linf", 1), "target_range": (-6, 6), "radius": 0.7, "fit_intercept": False},
        ["--rows", "linf=1", "--target-range=-6,6", "--method", "frank-wolfe", "--radius", 0.7,
         "--no-intercept"],
    ),
    "logistic without privacy": (
        PrivateLogisticRegression,
        {"row_bound": ("linf", 1), "epsilon": float("inf"), "delta": None, "random_state": None},
        ["--rows", "linf=1", "--epsilon", "inf"],
    ),
    "logistic in rho, by select, under add-remove": (
        PrivateLogisticRegression,
        {"row_bound": ("linf", 1), "epsilon": None, "rho": 0.3, "method": "select", "nonzero": 2,
         "adjacency": "add-remove", "public_n": 500},
        ["--rows", "linf=1", "--rho", 0.3, "--method", "select", "--nonzero", 2, "--adjacency",
         "add-remove", "--public-n", 500, "--delta", 1e-6, "--seed", 7],
    ),
}  # fmt: skip


@pytest.fixture(scope="module", params=list(CASES))
def both(request, command, table, tmp_path_factory):
    """A model of the package, one of the command, the table that both saw, and its file."""
    folder = tmp_path_factory.mktemp("command")
    task = request.param.split()[0]
    y = table[{"logistic": "two", "multinomial": "three", "linear": "number"}[task]]
    file = str(folder / "table.svm")
    dump_svmlight_file(table["X"], y, file, zero_based=False)
    X, y = load_svmlight_file(file, n_features=8, zero_based=False)
    kind, told, flags = CASES[request.param]
    model = kind(**{**PROMISES, "random_state": 7, **told})
    if task != "linear":
        model.set_params(classes=np.unique(y))
        flags = [*flags, "--classes", ",".join(f"{label:g}" for label in np.unique(y))]
    if "--epsilon" not in flags and "--rho" not in flags:
        flags = [*flags, "--epsilon", 2, "--delta", 1e-6, "--seed", 7]
    flags = [*flags, "--task", task, "--columns", 8, "--out", folder / "command.json"]
    command("fit", file, *flags)
    return model.fit(X, y), reticent.load(folder / "command.json"), X, folder


def test_the_same_table_and_seed_give_the_same_model(both):
    model, expected, _, _ = both
    assert (model.coef_ == expected.coef_).all()
    assert np.array_equal(model.intercept_, expected.intercept_)
    assert np.count_nonzero(model.coef_)
    assert model.method_ == expected.method_
    assert model.certificate_.charges == expected.certificate_.charges
    assert model.certificate_.to_dict() == expected.certificate_.to_dict()


def test_a_file_of_either_is_read_by_the_other(both, command):
    model, of_the_command, X, folder = both
    model.save(folder / "package.json")
    # In memory labels have a type, in a file none; nothing else differs.
    written = (folder / "package.json").read_text().replace('  "label_type": "float64",\n', "")
    assert written == (folder / "command.json").read_text()
    again = reticent.load(folder / "package.json")
    for one in (again, of_the_command):
        assert (one.predict(X) == model.predict(X)).all()
        assert one.certificate_ == model.certificate_


def test_both_predict_the_same(both, command):
    model, _, X, folder = both
    model.save(folder / "package.json")
    asked = ["--probabilities"] if hasattr(model, "classes_") else []
    said = command("predict", folder / "table.svm", "--model", folder / "package.json", *asked)
    _, *lines = csv.reader(io.StringIO(said))
    numbers = np.array(lines, dtype=float)
    assert (numbers[:, 0] == model.predict(X)).all()
    if asked:
        chances = numbers[:, -len(model.classes_) :]
        np.testing.assert_allclose(chances, model.predict_proba(X), rtol=1e-12, atol=1e-15)


def test_columns_that_are_counted_from_one_are_the_same_columns(command, table, tmp_path):
    file = str(tmp_path / "table.svm")
    dump_svmlight_file(table["X"], table["two"], file, zero_based=False)
    flags = ["--rows", "linf=1", "--epsilon", 2, "--delta", 1e-6, "--seed", 7]
    command("fit", file, "--task", "logistic", *flags, "--out", tmp_path / "model.json")
    read = reticent.load(tmp_path / "model.json")
    model = PrivateLogisticRegression(**PROMISES, row_bound=("linf", 1), random_state=7)
    assert (model.fit(table["X"], table["two"]).coef_ == read.coef_).all()
    assert (model.predict(table["X"]) == read.predict(table["X"])).all()
    assert read.classes_.tolist() == [0, 1]


def test_a_model_that_was_read_has_the_parameters_it_was_fitted_by(command, tmp_path, table):
    model = PrivateLinearRegression(
        rho=0.2, delta=1e-7, row_bound=("l2", 3), target_range=(-6, 5), method="select",
        adjacency="add-remove", public_n=700,
    )  # fmt: skip
    model.fit(table["X"], table["number"]).save(tmp_path / "model.json")
    read = reticent.load(tmp_path / "model.json")
    names = [
        "delta",
        "row_bound",
        "target_range",
        "method",
        "adjacency",
        "public_n",
        "epsilon",
        "rho",
    ]
    for name in names:
        assert getattr(read, name) == getattr(model, name), name
    assert command("verify", tmp_path / "model.json")
    assert read.fit(table["X"], table["number"]).certificate_.private


def test_a_file_that_is_no_model_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        reticent.load(tmp_path / "absent.json")
    (tmp_path / "other.json").write_text('{"a": 1}')
    with pytest.raises(ValueError, match="other"):
        reticent.load(tmp_path / "other.json")
    with pytest.raises(TypeError):
        reticent.load(3)


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], ["1", "nan"], ["1_0", "2"], [-1, 1], [2**40, 2**41], ["false", "true"]],
    ids=str,
)
def test_labels_come_back_from_a_file_as_a_person_would_take_them(labels, tmp_path, table):
    model = PrivateLogisticRegression(**PROMISES, row_bound=("linf", 1))
    model.fit(table["X"], np.array(labels)[table["two"]]).save(tmp_path / "model.json")
    assert reticent.load(tmp_path / "model.json").classes_.tolist() == labels


def test_a_plus_before_a_label_is_no_part_of_it(command, tmp_path, table):
    lines = [f"{'-+'[label]}1 1:1\n" for label in table["two"]]
    (tmp_path / "table.svm").write_text("".join(lines))
    flags = ["--rows", "linf=1", "--epsilon", 2, "--delta", 1e-6, "--out", tmp_path / "model.json"]
    command("fit", tmp_path / "table.svm", "--task", "logistic", *flags)
    assert reticent.load(tmp_path / "model.json").classes_.tolist() == [-1, 1]
