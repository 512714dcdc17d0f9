"""Columns: what Trace.columns() returns."""


class Columns(dict):
    """Arrays of one length by name: `columns["len"]` or `columns.len`.

    `to_pandas()` makes a data frame of them.
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no column '{name}'; there are {', '.join(self)}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]

    def to_arrow(self):
        """A pyarrow.Table with one row per value; `type` and other indices stay numbers, NumPy's memory is shared where it can be.

        Raises ImportError, saying what to install, if pyarrow is not there.
        """
        try:
            import pyarrow
        except ImportError as missing:
            raise ImportError("to_arrow() needs pyarrow: pip install pyarrow", name="pyarrow") from missing
        return pyarrow.table(dict(self))

    def to_pandas(self):
        """A pandas.DataFrame with one row per event; `type` becomes a categorical of the types' names.

        Raises ImportError, saying what to install, if pandas is not there.
        """
        try:
            import pandas
        except ImportError as missing:
            raise ImportError(
                "to_pandas() needs pandas; on Debian: apt-get install python3-pandas", name="pandas") from missing
        from mora import TYPES

        data = dict(self)
        if "type" in data:
            data["type"] = pandas.Categorical.from_codes(data["type"].astype("int8"), categories=list(TYPES))
        return pandas.DataFrame(data)
