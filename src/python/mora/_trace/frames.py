"""Frames: messages, calls, transfers and collective operations as columns; profiles of them; pictures of all.

What they hold is in the methods of mora.Trace that make them. The work is done in C++, one pass over the trace without the GIL;
several threads may ask at once. NumPy is needed; pandas, pyarrow and matplotlib are used if they are there.
"""
import _mora

from mora._errors import UsageError
from mora._trace import plots
from mora._trace.columns import Columns

TRANSFERS = ("put", "get", "atomic")


class Frame(Columns):
    """Columns of one length by name, with names for the numbers in some of them.

        calls = trace.calls()
        calls.exclusive.sum(), calls["region"], len(calls.enter)
        calls.to_pandas(), calls.to_arrow(), calls.plot()

    categories   dict: for columns that are indices, the tuple of names: {"region": ("main", "MPI_Send", …)}
    """

    def __init__(self, columns, plot, categories=()):
        super().__init__(columns)
        self.__dict__.update(categories=dict(categories), _plot=plot)

    def names(self, column):
        """The values of a column of indices as a list of str; None where the index is -1."""
        names = self.categories[column]
        return [names[i] if i >= 0 else None for i in self[column].tolist()]

    def to_pandas(self):
        """A pandas.DataFrame; columns of indices become categoricals of their names. Raises ImportError without pandas."""
        frame = super().to_pandas()
        import pandas

        for column, names in self.categories.items():
            categories = tuple(dict.fromkeys(names))
            codes = [categories.index(name) for name in names]
            values = self[column]
            if list(categories) != list(names):  # several regions of one name
                import numpy

                values = numpy.append(numpy.array(codes, dtype="int32"), -1)[values]
            frame[column] = pandas.Categorical.from_codes(values.astype("int32"), categories=list(categories))
        return frame

    def plot(self, ax=None, **options):
        """Draw it with matplotlib into `ax` (a new figure if None); returns the axes. Options are those of the drawing call.

        Raises ImportError, saying what to install, without matplotlib; mora.charts draws without it.
        """
        return self._plot(self, plots.axes(ax), **options)


def _region_names(core):
    return tuple(row[0] for row in core.regions())


def messages(core):
    return Frame(core.message_rows(), plots.messages)


def calls(core):
    columns = core.call_rows()
    parents, regions = columns.pop("path_parents"), columns.pop("path_regions")
    names = _region_names(core)
    frame = Frame(columns, plots.calls, {"region": names})
    frame.__dict__["path_parents"] = parents
    frame.__dict__["path_regions"] = regions
    paths = []
    for parent, region in zip(parents.tolist(), regions.tolist()):
        name = (names[region] if 0 <= region < len(names) else "?",)
        paths.append(paths[parent] + name if parent >= 0 else name)
    frame.__dict__["paths"] = paths
    return frame


def transfers(core):
    return Frame(core.transfer_rows(), plots.transfers, {"kind": TRANSFERS})


def collectives(core):
    return Frame(core.collective_rows(), plots.collectives,
                 {"collective": _mora.collective_names(), "region": _region_names(core)})


def profile(core, by_rank):
    import numpy

    names, columns = core.profile(bool(by_rank))
    return Frame({"region": numpy.array(names, dtype=object), **columns}, plots.profile)


def time_profile(core, bins):
    names, edges, values = core.time_profile(_count("bins", bins))
    columns = {"bin_start": edges[:-1], "bin_end": edges[1:]}
    columns.update((name, values[i]) for i, name in enumerate(names))
    return Frame(columns, plots.time_profile)


def message_histogram(core, bins):
    edges, counts = core.message_histogram(_count("bins", bins))
    return Frame({"low": edges[:-1], "high": edges[1:], "messages": counts}, plots.message_histogram)


def _count(name, value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is an int, not {type(value).__name__}")
    if not 1 <= value <= 1_000_000:
        raise UsageError(f"{name} is {value}, but must be from 1 to 1,000,000")
    return value


def comm_matrix(core, what):
    if what not in ("bytes", "messages"):
        raise UsageError(f"there is no matrix of {what!r}", "", "", "use 'bytes' or 'messages'")
    cells = core.comm_matrix(what == "messages")
    matrix = cells.view(_matrix_class(type(cells)))
    matrix.what = what
    return matrix


_classes = {}


def _matrix_class(array):
    """numpy.ndarray with plot(): made when NumPy is known to be there."""
    if array not in _classes:
        class Matrix(array):
            """A NumPy array [source, destination] with plot()."""

            what = ""

            def __reduce__(self):
                return self.view(array).__reduce__()  # a plain array

            def plot(self, ax=None, **options):
                """Draw it with matplotlib into `ax` (a new figure if None); returns the axes."""
                return plots.comm_matrix(self, plots.axes(ax), **options)

        _classes[array] = Matrix
    return _classes[array]
