"""mora.Writer: a new trace from events of another one."""
import os

import _mora

from mora._errors import UsageError
from mora._trace.trace import Trace


class Writer:
    """Writes a new trace (an OTF2 archive) from events of an opened one, for example those of some ranks:

        with mora.open("mora-app-64") as trace, mora.Writer("first-eight", like=trace) as writer:
            for event in trace.events(ranks=range(8)):
                writer.append(event)

    path       a new directory for the archive (str or path-like)
    like       the mora.Trace whose definitions it takes and whose events it is given; opened with an index
    force      True: replace an archive that is there
    from_zero  True: the first event appended gets time 0; False: times stay

    The archive appears when the with-block ends or close() is called; if the block ends with an exception there is none.
    A one-sided transfer is written with its PUT_1TS or GET_1TO, its other events with it. Messages pair by order
    when the new trace is read: leave out SENDs and RECVs in pairs.

    Raises mora.UsageError (it exists; the trace has no index), mora.UnreadableError (the system refuses).
    """

    def __init__(self, path, like, *, force=False, from_zero=False):
        if not isinstance(like, Trace):
            raise TypeError(f"`like` is an opened mora.Trace, not {type(like).__name__}")
        self._writer = _mora.TraceWriter(like._core, os.fsencode(path), bool(force), bool(from_zero))

    def append(self, event, *, time_ns=None, len=None):
        """Write `event`, with another time (ns, same zero as event.time_ns) or length (bytes) if given.

        Events of a rank are appended in the order of their times. Raises mora.UsageError: an event of another trace, a time
        before the last one of its rank, a closed writer; TypeError if it is no event.
        """
        self._writer.append(event, time_ns, len)

    @property
    def written(self):
        """int: events that became records so far."""
        return self._writer.written()

    @property
    def implied(self):
        """int: events that are written with another: remote halves and ends of one-sided transfers."""
        return self._writer.implied()

    def close(self):
        """Put the archive in place. Closing twice is allowed."""
        if self._writer.open:
            self._writer.finish()

    def __reduce__(self):
        raise TypeError("writers cannot be pickled: each belongs to the process that writes the archive")

    def __enter__(self):
        if not self._writer.open:
            raise UsageError("the writer is closed")
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.close()
        else:
            self._writer.abandon()
