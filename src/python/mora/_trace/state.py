"""The state of the program after an event."""
import _mora

from mora._trace.definitions import LockState, OpenCollective
from mora._display import table


@_mora.own_methods
class State(_mora.StateBase):
    """The state S_i: what is open after event i. S_0 is empty. Made by Trace.state().

    All answers are numbers of events, the last (highest) first; `trace[number]` is the event. Nodes are ranks;
    undefined ones raise mora.UsageError ("undefined nodenumber"), a closed trace mora.ClosedError.

    Cost with an index: a stack O(log m + depth), a queue in proportion to its length (m: number of events).
    """

    __slots__ = ()

    def transfers(self):
        """Numbers of PUT_1TS, GET_1TS, ATOMIC_1TS events whose end is later than this state, the last first."""
        return self._core.transfers(self.number)

    def origins(self):
        """Numbers of GET_1TO events whose GET_1TS is later than this state, the last first."""
        return self._core.origins(self.number)

    def collectives(self):
        """List of mora.OpenCollective: operations that some members have entered and not all have left."""
        return [OpenCollective(*row) for row in self._core.collectives(self.number)]

    def locks(self):
        """List of mora.LockState: locks of windows that are requested or held."""
        return [LockState(*row) for row in self._core.locks(self.number)]

    def __eq__(self, other):
        if not isinstance(other, State):
            return NotImplemented
        return self._core is other._core and self.number == other.number

    def __hash__(self):
        return hash(self.number)

    def __repr__(self):
        return f"<mora.State after event {self.number}>"

    def _repr_html_(self):
        rows = []
        for rank in range(min(self._core.nodecount(), 32)):
            rows.append((f"stack of node {rank}", " < ".join(self.stack(rank, sym=True)) or "(top level)"))
        queue = self.queue()
        rows.append(("messages under way", f"{len(queue)}: {queue[:16]}" if queue else "none"))
        return table(rows, f"state after event {self.number}")


_mora.set_state_class(State)
