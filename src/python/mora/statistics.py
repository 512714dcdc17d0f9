"""Statistics of any sequence of numbers in constant memory."""
from _mora import Statistics


class Stat(Statistics):
    """Count, sum, minimum, mean, maximum, variance and quartiles of the numbers added so far, in constant memory.

        waits = mora.Stat()
        for event in trace.events(kinds="RECV"):
            waits.add(event.time - event.enterptr.time)
        print(waits.count, waits.mean, waits.med, waits.max)

    All are exact except the quartiles (`q25`, `med`, `q75`), which are estimated by the P² algorithm (Jain 1985; exact
    for five values). `var` is the sample variance. With fewer numbers than a query needs (1; `var` 2; quartiles 5) it raises UsageError.
    `Stat(*values)` with the thirteen values of `state()` restores an object bit for bit: save them in a file with
    `print(file)`. `a + b` and `a.merge(b)` combine two.
    """

    __module__ = "mora"

    def print(self, file=None):
        """Writes the state, thirteen numbers with 17 significant digits, as one line to `file` (default: standard output).

        `mora.Stat(*map(float, line.split()))` makes an identical object.
        """
        print(" ".join(f"{value:.17g}" for value in self.state()), file=file)

    def __add__(self, other):
        if not isinstance(other, Statistics):
            return NotImplemented
        both = self.copy()
        both.merge(other)
        return both

    def __iadd__(self, other):
        if not isinstance(other, Statistics):
            return NotImplemented
        self.merge(other)
        return self

    def __eq__(self, other):
        return isinstance(other, Statistics) and self.state() == other.state()

    __hash__ = None

    def copy(self):
        """An independent object in the same state."""
        return Stat(*self.state())

    __copy__ = copy

    def __deepcopy__(self, memory):
        return self.copy()

    def __reduce__(self):
        return Stat, self.state()

    def _shown(self):
        from ._precision import fixed as text  # read at every output, so that changing it takes effect at once

        pairs = [("count", str(self.count))]
        if self.count >= 1:
            pairs += [(name, text(getattr(self, name))) for name in ("sum", "min", "mean", "max")]
        if self.count >= 2:
            pairs.append(("var", text(self.var)))
        if self.count >= 5:
            pairs += [(name, text(getattr(self, name))) for name in ("q25", "med", "q75")]
        return pairs

    def __repr__(self):
        if self.closed:
            return "<mora.Stat closed>"
        return "<mora.Stat " + " ".join(f"{name} {value}" for name, value in self._shown()) + ">"

    def _repr_html_(self):
        cells = "".join(f"<tr><th>{name}</th><td style='text-align:right'>{value}</td></tr>" for name, value in self._shown())
        return f"<table><caption>mora.Stat</caption>{cells}</table>"
