"""Private summaries of columns: count, mean, quantiles and histogram, for a budget.

`release` asks for one, `columns` is what it reads, `result` what it returns, `figures` what that
holds, and `printing` how it is shown.
"""

from reticent._summary.figures import CategoricalSummary, Figure, NumericSummary
from reticent._summary.release import summary
from reticent._summary.result import Summary

__all__ = ["CategoricalSummary", "Figure", "NumericSummary", "Summary", "summary"]
