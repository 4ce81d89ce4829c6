"""Fits with the installed package, and runs its command, where there is no Rust toolchain.

Usage: try_wheel.py
"""

import shutil
import subprocess

import numpy as np

from reticent import PrivateLogisticRegression, __version__

for program in ("cargo", "rustc"):
    assert shutil.which(program) is None, f"{program} is on the path"
X = np.random.default_rng(0).choice([0.0, 1.0], size=(10_000, 40))
y = np.where(X[:, 3] + X[:, 7] > 0, "ill", "well")
model = PrivateLogisticRegression(epsilon=1, delta=1e-8, row_bound=("linf", 1), nonzero=2).fit(X, y)
assert model.coef_.nonzero()[1].tolist() == [3, 7], model.coef_
assert model.certificate_.verify().holds
said = subprocess.run(["reticent", "--version"], capture_output=True, text=True, check=True).stdout
assert said == f"reticent {__version__}\n", said
story = subprocess.run(["reticent", "demo"], capture_output=True, text=True, check=True).stdout
assert "and it holds" in story
print(f"reticent {__version__} fits, and its command runs, without a Rust toolchain")
