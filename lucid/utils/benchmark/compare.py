"""Compare: measurements side by side."""

from .timer import Measurement, select_unit


class Compare:
    """Compare(measurements): a table per label, a row per sub_label (or statement), a column per description."""

    def __init__(self, results):
        self._results = []
        self.extend_results(results)

    def extend_results(self, results):
        """extend_results(measurements)"""
        for r in results:
            if not isinstance(r, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(r)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self):
        """trim_significant_figures(): numbers are always shown with what the spread leaves."""

    def highlight_warnings(self):
        """highlight_warnings(): accepted."""

    def colorize(self, rowwise=False):
        """colorize(): accepted; the table is plain text."""

    def print(self):
        """Print the tables."""
        print(str(self))

    def __str__(self):
        tables = {}
        for m in Measurement.merge(self._results):
            tables.setdefault(m.label, []).append(m)
        return "\n".join(self._table(label, ms) for label, ms in tables.items())

    @staticmethod
    def _table(label, measurements):
        unit, scale = select_unit(min(m.median for m in measurements))
        columns = list(dict.fromkeys(m.description or "" for m in measurements))
        rows = list(dict.fromkeys((m.num_threads, m.as_row_name) for m in measurements))
        cells = {
            ((m.num_threads, m.as_row_name), m.description or ""): f"{m.median / scale:.{m.significant_figures}g}"
            for m in measurements
        }
        grid = [["", *columns]] + [
            [name, *[cells.get(((threads, name), c), "") for c in columns]] for threads, name in rows
        ]
        widths = [max(len(row[i]) for row in grid) for i in range(len(columns) + 1)]
        lines = [
            "  |  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths)))
            for row in grid
        ]
        title = f" {label or ''} ".center(len(lines[0]) + 2, "-")
        return "\n".join([f"[{title}]", *lines, f"Times are in {unit}.", ""])
