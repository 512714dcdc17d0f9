"""Information about a trace as a whole: EARL's `info` methods (Wolf 1998, 6.1.2)."""
import _mora

from mora._trace.definitions import Loss
from mora._display import table
from mora._errors import UsageError

_FIRST_TYPES = ("ENTER", "EXIT", "SEND", "RECV")


class TraceInfo:
    """`trace.info`: file, format, event types, nodes, regions, losses.

    All of it can be asked before any event is read. Undefined numbers and names raise mora.UsageError
    (a ValueError), a closed trace mora.ClosedError.
    """

    __slots__ = ("_core", "_counts")

    def __init__(self, core):
        self._core = core
        self._counts = None

    @property
    def filename(self):
        """str: the path that was given to mora.open()."""
        self._core.check()
        return self._core.path

    @property
    def format(self):
        """str: the format's name, lower case, as mora.formats() lists it: "otf2", "alog"."""
        return self._core.format()

    @property
    def creator(self):
        """str: format and writer in words: "OTF2 3.0 (Mora 0.2.0)"."""
        return self._core.format_text()

    @property
    def program(self):
        """str: name of the program that was measured."""
        return self._core.program()

    @property
    def rma_model(self):
        """str: "extended" or "basic": where one-sided transfers end."""
        return "extended" if self._core.extended() else "basic"

    @property
    def counts(self):
        """dict of str to int: how many events of each type there are; types that do not occur are left out.

        The first use reads one byte per event.
        """
        if self._counts is None:
            self._counts = self._core.count_types()
        self._core.check()
        return {name: count for name, count in zip(_mora.type_names(), self._counts) if count}

    @property
    def eventtypes(self):
        """list of str: ENTER, EXIT, SEND, RECV, then the other types that occur, then the types that the trace or its
        format defines. Each is what `event.type` of its events is and what Trace.events() takes."""
        occurring = [name for name in self.counts if name not in _FIRST_TYPES and name != "USER"]
        return [*_FIRST_TYPES, *occurring, *self._core.user_types()]

    def attributes(self, type=None):
        """Names of the attributes of an event type (any case), in the order of `event.attributes()`.

        Without a type: EARL's fourteen, `num node time type enterptr region group src dest tag com len sendptr data`,
        then the others that types have. (The example printed in Wolf 1998, 6.1.2, leaves out `num`; here it is included:
        Mora's rule earl-open-points.)
        Raises mora.UsageError for an undefined type.
        """
        names = _mora.type_names()
        if type is None:
            self._core.check()
            every = ["num", "node", "time", "type", "enterptr", "region", "group", "src", "dest", "tag", "com", "len",
                     "sendptr", "data"]
            for number in range(len(names)):
                every += [name for name in _mora.attributes_of_type(number) if name not in every]
            return every
        if not isinstance(type, str):
            raise TypeError(f"the name of an event type is a str, not {type.__class__.__name__}")
        wanted = type.upper()
        if wanted in (name.upper() for name in self._core.user_types()):
            wanted = "USER"
        if wanted not in names:
            raise UsageError(f"undefined type '{type}'", "", "", "known types: " + ", ".join(self.eventtypes))
        return _mora.attributes_of_type(names.index(wanted))

    @property
    def nodecount(self):
        """int: number of nodes n; they are numbered 0 … n-1."""
        return self._core.nodecount()

    def nodesym(self, node):
        """The symbolic name of a node (str), "node_<number>" if the trace has none.

        Raises mora.UsageError ("undefined nodenumber") if there is no such node.
        """
        rank = self._core.node(node)
        for name, of_rank, thread, host, kind in self._core.locations():
            if of_rank == rank and thread == 0:
                return f"node_{rank}" if name in ("", f"rank {rank}") else name
        return f"node_{rank}"

    @property
    def regions(self):
        """list of str: names of all regions, each once, in the order of their definition."""
        return list(dict.fromkeys(row[0] for row in self._core.regions()))

    @property
    def groups(self):
        """list of str: names of all groups of regions; ["All"] if the format has no groups."""
        return list(dict.fromkeys(row[1] for row in self._core.regions())) or ["All"]

    def group(self, name):
        """Names of the regions of a group (list of str).

        Raises mora.UsageError ("undefined groupname") if there is no such group.
        """
        if name not in self.groups:
            raise UsageError(f"undefined groupname '{name}'", "", "", "known groups: " + ", ".join(self.groups))
        return list(dict.fromkeys(row[0] for row in self._core.regions() if row[1] == name))

    @property
    def duration(self):
        """float: seconds of measured time, from the first record of the trace to the last: the time span of `mora info`,
        the wall time of `mora report`. Longer than from the first event to the last where a trace records the begin or
        end of a process, or when the recorder wrote."""
        return self.duration_ns / 1e9

    @property
    def duration_ns(self):
        """int: the same in nanoseconds, exact."""
        return self.end_ns - self.begin_ns

    @property
    def begin(self):
        """float: when the measured time begins, in seconds of the events' clock: not after the first event."""
        return self.begin_ns / 1e9

    @property
    def begin_ns(self):
        """int: the same in nanoseconds, exact."""
        return self._core.measured_ns()[0]

    @property
    def end(self):
        """float: when the measured time ends, in seconds of the events' clock."""
        return self.end_ns / 1e9

    @property
    def end_ns(self):
        """int: the same in nanoseconds, exact."""
        return self._core.measured_ns()[1]

    @property
    def start_ns(self):
        """int: the trace's own clock at its start, in nanoseconds: what clock="trace" adds to every time."""
        return self._core.time_origin_ns()

    @property
    def losses(self):
        """list of mora.Loss: the data-quality table, everything that was repaired, guessed or left out."""
        return [Loss(*row) for row in self._core.losses()]

    @property
    def index_bytes(self):
        """int: size of the index, in memory or on disk."""
        return self._core.index_bytes()

    @property
    def reopened(self):
        """bool: whether an index of an earlier run was used."""
        return self._core.reopened()

    def _rows(self):
        return [("file", self.filename), ("format", self.creator), ("program", self.program), ("nodes", self.nodecount),
                ("events", self._core.size()), ("duration", f"{self.duration} s"), ("RMA model", self.rma_model),
                ("losses", sum(1 for loss in self.losses if loss.severity != "info") or "none")]

    def __reduce__(self):
        raise TypeError("information about a trace cannot be pickled: it belongs to an open trace; pickle what it says")

    def __repr__(self):
        if self._core.closed:
            return f"<mora.TraceInfo of {self._core.path!r}, closed>"
        return "\n".join(f"{name}: {value}" for name, value in self._rows())

    def _repr_html_(self):
        return table(self._rows(), "trace")
