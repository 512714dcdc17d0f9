"""Digits after the decimal point of times and statistics in text (earl_precision in Wolf 1998, 6.3)."""
import sys

DEFAULT = 9
LARGEST = 17


def digits():
    """The value of `mora.precision`, checked; 9 if it does not exist.

    Raises ValueError unless it is an int of 0 … 17.
    """
    value = getattr(sys.modules["mora"], "precision", DEFAULT)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
        raise ValueError(f"mora.precision is {value!r}, but must be an int from 0 to {LARGEST}")
    return value


def fixed(value):
    """`value` (float) with as many digits after the point as `mora.precision` says."""
    return f"{value:.{digits()}f}"
