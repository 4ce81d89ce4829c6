"""Our column of the comparison: answers each line of a question with a line.

Usage: reticent_column.py TABLES
"""

import json
import sys
import time
import warnings

from sklearn.metrics import roc_auc_score

import reticent
import tables

# A seed makes a model that is not private, and says so; here that is the point.
warnings.simplefilter("ignore")
known = {}
for line in sys.stdin:
    asked = json.loads(line)
    name = asked["table"]
    if name not in known:
        known[name] = tables.table(sys.argv[1], name)
    (features, classes), test = known[name](asked["seed"])
    if asked["kind"] == "dense":
        features = features.toarray()
    model = reticent.PrivateLogisticRegression(
        epsilon=asked["epsilon"],
        delta=1 / len(classes) ** 2,
        row_bound=("linf", 1.0),
        nonzero=features.shape[1] if asked["kind"] == "all weights" else None,
        random_state=asked["seed"],
    )
    start = time.perf_counter()
    model.fit(features, classes)
    seconds = time.perf_counter() - start
    auc = roc_auc_score(test.classes, model.decision_function(test.features))
    print(json.dumps({"seconds": seconds, "auc": auc}), flush=True)
