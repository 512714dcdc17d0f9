"""Results: what `mora analyze` found (metric x call path x location), with arithmetic.

    a = mora.load("mora-app-4")                 # an experiment, its analysis.cubex, or another tool's .cubex
    a["late-sender"].inclusive                  # seconds, summed over call tree and ranks
    a["late-sender"].by_rank                    # array: seconds of each rank
    (mora.load("before") - mora.load("after"))["time"].by_call_path()
    mora.mean([mora.load(run) for run in runs]).save("mean.cubex")
"""
import difflib
import html
import os

from _mora import Cube

from ._errors import UnreadableError, UsageError


def _refuse_pickle(self):
    raise TypeError("results cannot be pickled: save() writes a file that mora.load() reads in the other process; "
                    "numbers and to_pandas() can be")


class Metric:
    """One metric of a result. Times are seconds (float), counts and bytes whole numbers.

    id, name, description       "late-sender", "Late Sender", what it means
    unit                        "seconds", "occurrences" or "bytes"
    parent, children            metrics; a parent's values include those of its children
    inclusive, exclusive        summed over call tree and locations; exclusive: without the children's part
    by_rank, by_location        arrays of inclusive values; by_rank adds up the threads of each rank
    fold                        "sum"; "least" or "most" of other tools' minima and maxima: wherever others are added up,
                                of these the least or largest is taken (0 is no value)
    """

    def __init__(self, result, index, row):
        self._result, self._index = result, index
        self.id, self.name, self.unique_name, self._parent, self.unit, self.description, self.fold = row

    __reduce__ = _refuse_pickle

    def _value(self, integer):
        return integer / 1e9 if self.unit == "seconds" else integer

    def _folded(self, values):
        """Many integers as one."""
        if self.fold == "sum":
            return sum(values)
        return (min if self.fold == "least" else max)((v for v in values if v), default=0)

    @property
    def parent(self):
        return None if self._parent is None else self._result.metrics[self._parent]

    @property
    def children(self):
        return tuple(m for m in self._result.metrics if m._parent == self._index)

    @property
    def depth(self):
        """0 for roots of the metric tree."""
        return 0 if self._parent is None else self.parent.depth + 1

    @property
    def _integer(self):
        return self._folded(self._result._cube.by_location(self._index))

    @property
    def inclusive(self):
        return self._value(self._integer)

    @property
    def exclusive(self):
        parts = [child._integer for child in self.children if self.fold == child.fold == "sum"]
        return self._value(self._integer - sum(parts))

    @property
    def by_location(self):
        import numpy

        return self._value(numpy.array(self._result._cube.by_location(self._index), dtype="int64"))

    @property
    def by_rank(self):
        import numpy

        by_location = self._result._cube.by_location(self._index)
        of_rank = {rank: [] for rank in self._result.ranks}
        for location, integer in zip(self._result.locations, by_location):
            of_rank[location.rank].append(integer)
        return self._value(numpy.array([self._folded(of_rank[rank]) for rank in self._result.ranks], dtype="int64"))

    @property
    def cells(self):
        """The integers themselves: array of int64 [call path, location]; nanoseconds for times. Exclusive along the call
        tree (a call path's own part), inclusive along the metric tree."""
        return self._result._cube.cells(self._index)

    def at(self, call_path, rank=None, inclusive=True):
        """The value at one call path (a CallPath or its name), of all ranks or one, with or without what it calls."""
        values = []
        for path in self._result._selected(call_path):
            for one in path.tree() if inclusive else (path,):
                row = self._result._cube.row(self._index, one.index)
                values += [v for v, l in zip(row, self._result.locations) if rank is None or l.rank == rank]
        return self._value(self._folded(values))

    def by_call_path(self, inclusive=False):
        """{call path as text: value} of all call paths with a value, largest first."""
        sums = [self._folded(self._result._cube.row(self._index, path.index)) for path in self._result.call_paths]
        if inclusive:
            for path in reversed(self._result.call_paths):  # children stand behind their parents
                if path.parent is not None:
                    sums[path.parent.index] = self._folded((sums[path.parent.index], sums[path.index]))
        found = [(self._value(v), p) for v, p in zip(sums, self._result.call_paths) if v]
        return {path.text: value for value, path in sorted(found, key=lambda f: (-abs(f[0]), f[1].index))}

    def __repr__(self):
        return f"<mora metric {self.id}: {self.inclusive:.9g} {self.unit}>"


class CallPath:
    """A node of the call tree: name, label ("MPI_Recv@a.c:3"), kind ("program", "user", "mpi", "compute"), file, line."""

    def __init__(self, result, index, row):
        self._result, self.index = result, index
        self.name, self.label, self._parent, self.kind, self.file, self.line = row

    __reduce__ = _refuse_pickle

    @property
    def parent(self):
        return None if self._parent is None else self._result.call_paths[self._parent]

    @property
    def children(self):
        return tuple(path for path in self._result.call_paths if path._parent == self.index)

    @property
    def text(self):
        """The labels from the root, "main > solve > MPI_Recv@a.c:3"."""
        labels, path = [], self
        while path is not None:
            labels.append(path.label)
            path = path.parent
        return " > ".join(reversed(labels))

    def tree(self):
        """This call path and all below it."""
        inside, found = {self.index}, [self]
        for path in self._result.call_paths[self.index + 1 :]:
            if path._parent in inside:
                inside.add(path.index)
                found.append(path)
        return found

    def __repr__(self):
        return f"<mora call path {self.text}>"


class Location:
    """A process or thread of the measured job: name, rank, thread, node (host)."""

    def __init__(self, row):
        self.name, self.rank, self.thread, self.node = row

    def __repr__(self):
        return f"<mora location {self.name}>"


class Result:
    """A result: result["late-sender"] is a Metric; iterating yields all metrics, parents before children.

    metrics, call_paths, locations   tuples of Metric, CallPath, Location
    ranks                            ascending list of the ranks
    attributes                       dict of the file's free texts
    path                             the file it was read from, or ""
    quality                          what the file holds and a result cannot: rows (kind, severity, where, count, what, remedy)
    unmatched                        after arithmetic: (dimension, name, operands that have it) of what not all operands have;
                                     of call paths the topmost
    rounded, saturated               after arithmetic: cells that were rounded (mean) or did not fit into 63 bits
    """

    def __init__(self, cube, path="", quality=(), unmatched=(), rounded=0, saturated=0):
        self._cube, self.path, self.quality = cube, path, quality
        self.unmatched, self.rounded, self.saturated = unmatched, rounded, saturated
        self.attributes = dict(cube.attributes)
        self.metrics = tuple(Metric(self, i, row) for i, row in enumerate(cube.metrics))
        self.call_paths = tuple(CallPath(self, i, row) for i, row in enumerate(cube.call_paths))
        self.locations = tuple(Location(row) for row in cube.locations)
        self.ranks = sorted({location.rank for location in self.locations})
        self._by_id = {}
        for metric in self.metrics:  # the first of equals; unique names of other tools work too
            self._by_id.setdefault(metric.id, metric)
        for metric in self.metrics:
            self._by_id.setdefault(metric.unique_name, metric)

    __reduce__ = _refuse_pickle

    def __getitem__(self, metric):
        if metric in self._by_id:
            return self._by_id[metric]
        near = difflib.get_close_matches(str(metric), self._by_id, 3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise KeyError(f"there is no metric {metric!r} in this result{hint}")

    def __contains__(self, metric):
        return metric in self._by_id

    def __iter__(self):
        return iter(self.metrics)

    def __len__(self):
        return len(self.metrics)

    def _selected(self, call_path):
        if isinstance(call_path, CallPath):
            return [self.call_paths[call_path.index]]
        found = [p for p in self.call_paths if call_path in (p.name, p.label) or (" > " + p.text).endswith(" > " + call_path)]
        if not found:
            raise UsageError(f"there is no call path {call_path!r}", help="call_paths lists them")
        nested = {below.index for path in found for below in path.tree()[1:]}
        return [path for path in found if path.index not in nested]  # of recursive calls the outermost

    def __sub__(self, other):
        """The difference, cell by cell; call paths and ranks that only one side has count as zero on the other."""
        return _combined(Cube.difference(self._cube, other._cube)) if isinstance(other, Result) else NotImplemented

    def merge(self, *others):
        """All metrics of all results; one that several have is taken from the first of them."""
        return _combined(Cube.merge([result._cube for result in (self, *others)]))

    def cut(self, root=(), prune=()):
        """Only the call trees below `root`, with those of `prune` added to their parents (names, or lists of names)."""
        names = [[one] if isinstance(one, str) else list(one) for one in (root, prune)]
        return Result(self._cube.cut(*names))

    def save(self, path):
        """Writes a .cubex file (CUBE4): for `mora cube`, Cube, and `mora.load`."""
        self._cube.save(os.fsencode(path))

    def to_pandas(self):
        """A DataFrame with a row for every value: metric, call_path, rank, thread, value (seconds, counts, bytes)."""
        import pandas

        rows = []
        for metric in self.metrics:
            cells = metric.cells
            for c, l in zip(*cells.nonzero()):
                location = self.locations[l]
                value = metric._value(int(cells[c, l]))
                rows.append((metric.id, self.call_paths[c].text, location.rank, location.thread, value))
        return pandas.DataFrame(rows, columns=["metric", "call_path", "rank", "thread", "value"])

    def __repr__(self):
        size = f"{len(self.metrics)} metrics, {len(self.call_paths)} call paths, {len(self.locations)} locations"
        return f"<mora.Result {self.path + ': ' if self.path else ''}{size}>"

    def _repr_html_(self):
        roots = {m.unit: abs(m.inclusive) for m in reversed(self.metrics) if m._parent is None}
        rows = []
        for metric in _tree_order(self.metrics):
            value = metric.inclusive
            if not value and metric._parent is not None:
                continue
            share = min(1.0, abs(value) / roots[metric.unit]) if roots.get(metric.unit) else 0.0
            colour = "#3b6fb6" if value >= 0 else "#d9822b"
            bar = f"<div style='background:{colour};height:.7em;width:{120 * share:.1f}px'></div>"
            text = f"{value:.6f}" if metric.unit == "seconds" else f"{value:,}".replace(",", " ")
            unit = {"seconds": "s", "occurrences": "", "bytes": "B"}[metric.unit]
            rows.append(
                f"<tr><td style='text-align:left;padding-left:{0.6 + 1.2 * metric.depth:.1f}em'>{html.escape(metric.name)}</td>"
                f"<td style='text-align:right'>{text} {unit}</td><td style='text-align:left;width:124px'>{bar}</td></tr>"
            )
        head = "<tr><th style='text-align:left'>metric</th><th style='text-align:right'>total</th><th></th></tr>"
        return f"<div>{html.escape(repr(self))}</div><table>{head}{''.join(rows)}</table>"


def _tree_order(metrics):
    waiting = [m for m in reversed(metrics) if m._parent is None]
    while waiting:
        metric = waiting.pop()
        yield metric
        waiting.extend(reversed(metric.children))


def _combined(combination):
    cube, unmatched, rounded, saturated = combination
    return Result(cube, unmatched=unmatched, rounded=rounded, saturated=saturated)


def load(path):
    """Reads a result: a .cubex file of any tool, an experiment directory, or a trace that `mora analyze` has analysed.

    Raises UnreadableError if there is none or it is damaged.
    """
    path = file = os.fsdecode(path)
    if os.path.basename(path) == "traces.otf2":
        path = os.path.dirname(path) or "."
    if os.path.isdir(path):
        file = os.path.join(path, "analysis.cubex")
        if not os.path.exists(file):
            raise UnreadableError("there is no result", path, "it contains no analysis.cubex", f"first: mora analyze {path}")
    elif os.path.isdir(path + ".analysis"):
        file = path + ".analysis/analysis.cubex"
    cube, quality = Cube.load(os.fsencode(file))
    return Result(cube, file, quality)


def mean(results):
    """The mean of several results, cell by cell; what a result does not have counts as zero.

    A metric's own part is rounded to whole nanoseconds (counts, bytes), halves to even; `rounded` counts such cells.
    """
    return _combined(Cube.mean([result._cube for result in results]))


def merge(results):
    """All metrics of all results; one that several have is taken from the first of them."""
    return _combined(Cube.merge([result._cube for result in results]))
