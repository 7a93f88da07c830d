"""Pages about trainings: what was learned, round by round."""

from calque.report.read import read_run, read_runs
from calque.report.record import RoundRecord, RunRecord
from calque.report.runs import report

__all__ = ["RoundRecord", "RunRecord", "read_run", "read_runs", "report"]
