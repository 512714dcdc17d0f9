"""The errors that Mora raises. Import them from `mora`."""


class Error(Exception):
    """Something that Mora could not do; the base of all its errors.

    Attributes (each a str, empty if not known):
        what   what could not be done
        where  file, byte offset, event
        why    the reason
        help   what you can do next
    """

    def __init__(self, what="", where="", why="", help=""):
        super().__init__(what, where, why, help)
        self.what = what
        self.where = where
        self.why = why
        self.help = help

    def __str__(self):
        text = self.what
        if self.where:
            text += f" [{self.where}]"
        if self.why:
            text += f": {self.why}"
        if self.help:
            text += f"; {self.help}"
        return text


Error.__module__ = "mora"


class UnreadableError(Error):
    """A file cannot be read: missing, damaged beyond use, in no known format, or refused by the system."""

    __module__ = "mora"


class UsageError(Error, ValueError):
    """The request itself is wrong: an unknown name, an undefined number, an option out of its range."""

    __module__ = "mora"


class ClosedError(Error):
    """The trace of this object was closed. Events, iterators, states and information objects raise it too."""

    __module__ = "mora"
