"""What came out, for people: runs, comparisons, pages."""

from calque.report.comparison import (
    MetricComparison,
    System,
    SystemsComparison,
    compare_systems,
    figures,
    tabulate,
)
from calque.report.comparison_page import comparison_page
from calque.report.read import read_run, read_runs
from calque.report.record import RoundRecord, RunRecord
from calque.report.runs import report

__all__ = [
    "MetricComparison",
    "RoundRecord",
    "RunRecord",
    "System",
    "SystemsComparison",
    "compare_systems",
    "comparison_page",
    "figures",
    "read_run",
    "read_runs",
    "report",
    "tabulate",
]
