"""What events refer to, as small named objects."""
from typing import NamedTuple, Optional, Tuple


class Region(NamedTuple):
    """A function or code section; MPI calls: one per call site.

    index  number of the region in trace.regions
    name   "MPI_Send", "main"; not unique
    group  "MPI", "USER", …; "All" if the format has no groups
    file   source file of the call (MPI) or of the definition; None if unknown
    line   its line; None if unknown
    mpi    whether it is a call of MPI
    """

    index: int
    name: str
    group: str
    file: Optional[str]
    line: Optional[int]
    mpi: bool


class Node(NamedTuple):
    """A process: EARL's node.

    rank       its number, 0 … nodecount-1: rank in MPI_COMM_WORLD
    name       its symbol in the trace, else "node_<rank>"
    host       the machine it ran on; "" if unknown
    locations  indices in trace.locations of its threads
    """

    rank: int
    name: str
    host: str
    locations: Tuple[int, ...]


class Location(NamedTuple):
    """A process or thread; each has its own region stack.

    index   number of the location in trace.locations, `loc` of events
    name    its name in the trace
    rank    rank of its process
    thread  0 for the first thread
    host    the machine it ran on; "" if unknown
    kind    "cpu", "device" or "metric"
    """

    index: int
    name: str
    rank: int
    thread: int
    host: str
    kind: str


class Communicator(NamedTuple):
    """A communicator.

    index    its number in trace.communicators, `com` of events
    name     its name in the trace
    members  ranks of MPI_COMM_WORLD in the communicator's own rank order; empty for MPI_COMM_SELF
    remote   the other side of an inter-communicator, else empty
    self     whether it is MPI_COMM_SELF (of every process)
    parent   index of the communicator it was made from, None if unknown
    """

    index: int
    name: str
    members: Tuple[int, ...]
    remote: Tuple[int, ...]
    self: bool
    parent: Optional[int]


class Window(NamedTuple):
    """A window for one-sided communication.

    index  its number in trace.windows, `win` of events
    name   its name in the trace
    com    index of its communicator, None if unknown
    """

    index: int
    name: str
    com: Optional[int]


class Group(NamedTuple):
    """A group of processes: the partners of post and start.

    index    its number in trace.groups
    members  ranks of MPI_COMM_WORLD in group order
    """

    index: int
    members: Tuple[int, ...]


class Metric(NamedTuple):
    """A counter.

    index  its number in trace.metrics
    name   "PAPI_TOT_INS"
    unit   "#", "s"; "" if unknown
    """

    index: int
    name: str
    unit: str


class Loss(NamedTuple):
    """One row of the data-quality table: what had to be repaired, guessed or left out.

    kind      "unmatched-receive", …: docs/user/data-quality.md explains each
    severity  "info": numbers are correct; "warning": some may be wrong; "loss": data are missing
    where     "rank 3"; may be empty
    count     how often
    what      a sentence
    remedy    what you can do
    """

    kind: str
    severity: str
    where: str
    count: int
    what: str
    remedy: str


class OpenCollective(NamedTuple):
    """A collective operation that some members have entered and not all have left.

    com         index in trace.communicators, -1 if unknown
    collective  "barrier", "bcast", …
    inside      numbers of the ENTER events, ascending
    """

    com: int
    collective: str
    inside: list


class LockState(NamedTuple):
    """The lock of one window at one target.

    win        index in trace.windows, None if unknown
    target     rank whose window is locked, None if unknown
    requested  numbers of the WLOCK events without their WUNLOCK, ascending
    """

    win: Optional[int]
    target: Optional[int]
    requested: list


def numbered(kind, rows):
    """`rows` of a core as a list of `kind`, each with its index before it."""
    return [kind(index, *row) for index, row in enumerate(rows)]
