"""EARL's `earl help`: formats and version."""
import _mora


def formats():
    """Names of all trace formats, lower case: what mora.open(format=…) takes.

    Returns a list of str in the order in which formats are tried.
    """
    return [name for name, description in _mora.formats()]


def version():
    """The version of Mora, for example "0.2.0"."""
    return _mora.version()
