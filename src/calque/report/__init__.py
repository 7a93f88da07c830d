"""What came out, for people: comparisons, pages."""

from calque.report.comparison import (
    MetricComparison,
    System,
    SystemsComparison,
    compare_systems,
    tabulate,
)
from calque.report.comparison_page import comparison_page

__all__ = [
    "MetricComparison",
    "System",
    "SystemsComparison",
    "compare_systems",
    "comparison_page",
    "tabulate",
]
