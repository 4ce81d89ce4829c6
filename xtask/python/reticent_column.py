"""Our column of the comparisons: answers each line of a question with a line.

Usage: reticent_column.py TABLES
"""

import json
import sys
import time
import warnings

import tables
from sklearn.metrics import log_loss, roc_auc_score

import reticent

# A seed makes a model that is not private, and says so; here that is the point.
warnings.simplefilter("ignore")


def estimator(asked, features, count):
    """Nothing set but what has to be declared, and what the kind of column asks for."""
    kind = asked["kind"]
    special = {}
    if kind == "all weights":
        special["nonzero"] = features.shape[1]
    if kind == "add-remove":
        # The number of records is private there, and a public one is declared in its place.
        special |= {"adjacency": "add-remove", "public_n": count}
    return reticent.PrivateLogisticRegression(
        epsilon=asked["epsilon"],
        delta=1 / count**2,
        row_bound=("linf", 1.0),
        random_state=asked["seed"],
        **special,
    )


def main():
    known = {}
    for line in sys.stdin:
        asked = json.loads(line)
        name = asked["table"]
        if name not in known:
            known = {name: tables.table(sys.argv[1], name)}
        (features, classes), test = known[name](asked["seed"])
        if asked["kind"] == "dense":
            features = features.toarray()
        model = estimator(asked, features, len(classes))
        start = time.perf_counter()
        model.fit(features, classes)
        seconds = time.perf_counter() - start
        auc = roc_auc_score(test.classes, model.decision_function(test.features))
        loss = log_loss(test.classes, model.predict_proba(test.features)[:, 1])
        answer = {"seconds": seconds, "auc": auc, "log-loss": loss}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
