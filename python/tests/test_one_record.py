"""A record is encoded by itself: what is promised for one of them rests on that."""

import pandas as pd
import pytest

from reticent import Schema

BY_ITSELF = Schema.from_toml("""
version = 1
missing = ["", "NA", "-999"]
column = [
  {name = "number", kind = "numeric", bounds = [-1000, 1000]},
  {name = "level", kind = "categorical", levels = ["1", "-5", "true", "9007199254740993"]},
]
""")

VALUES = [1, -5, -999, 2**53 + 1, 2**70, 1.0, -999.0, 0.5, float("nan"), None, True, False]


@pytest.mark.parametrize("other", [5, 0.5, None, "NA", "1", True, 2**70, float("nan")])
@pytest.mark.parametrize("value", VALUES)
def test_how_a_record_is_encoded_does_not_depend_on_the_others(value, other):
    """Whatever type pandas holds a column in: that is decided by all records together."""

    def encoded(column):
        frame = pd.DataFrame({"number": column, "level": column})
        return BY_ITSELF.encode(frame).toarray()[0].tolist()

    alone = encoded([value, value])
    assert encoded([value, other]) == alone
    assert encoded(pd.Series([value, other], dtype=object)) == alone
