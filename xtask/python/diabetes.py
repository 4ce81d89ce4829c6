"""Write scikit-learn's diabetes table (Efron et al. 2004), unscaled, as CSV, target last."""

import sys

from sklearn.datasets import load_diabetes

features, target = load_diabetes(return_X_y=True, scaled=False)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    for row, value in zip(features, target, strict=True):
        print(*row, value, sep=",", file=file)
