"""prototypes.txt as objects: the functions in table order, their parameters, their annotations."""

import re
from dataclasses import dataclass, field

FLAVOURS = ("openmpi", "mpich")
GROUPS = ("p2p", "collective", "rma", "comm", "group", "win", "request", "type", "topology", "io", "env", "query",
          "attribute", "info")
KEYS = ("group", "hook", "partial", "flavour", "fortran", "fortran_also", "removed")


class TableError(Exception):
    """A line of the table that cannot be understood: what and where."""


@dataclass
class Parameter:
    kind: str      # the C type without the name: "const int", "MPI_Request", …; pointer stars are in `stars`
    stars: str     # "", "*", "**"
    name: str
    array: str     # "", "[]", "[][3]"

    def declaration(self):
        space = "" if self.stars else " "
        return f"{self.kind} {self.stars}{self.name}{self.array}" if self.stars else f"{self.kind}{space}{self.name}{self.array}"

    def type_text(self):
        """The type with arrays as pointers, without const: what decides how a Fortran argument is converted."""
        return self.kind.replace("const ", "") + self.stars + ("*" if self.array else "")


@dataclass
class Function:
    id: int
    result: str
    name: str
    parameters: list
    variadic: bool
    notes: dict = field(default_factory=dict)

    @property
    def group(self):
        return self.notes["group"]

    @property
    def hook(self):
        return self.notes.get("hook")

    def in_c(self, flavour):
        return self.notes.get("flavour", flavour) == flavour

    def in_fortran(self, flavour):
        if self.name.endswith("_c"):
            return False  # the large-count forms have no mpif.h binding
        return self.in_c(flavour) or self.notes.get("fortran") == "both"

    def fortran_names(self, flavour):
        names = [self.name.lower()]
        if flavour == "openmpi" and "fortran_also" in self.notes:
            names.append(self.notes["fortran_also"])
        return names

    def parameter_text(self):
        if not self.parameters:
            return "void"
        text = ", ".join(p.declaration() for p in self.parameters)
        return text + ", ..." if self.variadic else text

    def argument_text(self):
        return ", ".join(p.name for p in self.parameters)


def parse_parameter(text, where):
    match = re.fullmatch(r"((?:const )?\w+) ?((?:\*| \*|\* ?const)*)(\w+)((?:\[\d*\])*)", text.strip())
    if not match:
        raise TableError(f"{where}: cannot read the parameter '{text}'")
    return Parameter(match[1], match[2].replace(" ", ""), match[3], match[4])


def parse_line(line, identifier, where):
    prototype, separator, annotations = line.partition(" ; ")
    match = re.fullmatch(r"(\w+) (MPI_\w+)\((.*)\)", prototype.strip())
    if not separator or not match:
        raise TableError(f"{where}: expected 'TYPE MPI_Name(PARAMETERS) ; group=…'")
    notes = {}
    for word in annotations.split():
        key, equals, value = word.partition("=")
        if key not in KEYS or not equals or key in notes:
            raise TableError(f"{where}: annotation '{word}' is unknown or given twice")
        notes[key] = value
    if notes.get("group") not in GROUPS:
        raise TableError(f"{where}: group must be one of {', '.join(GROUPS)}")
    if notes.get("flavour", "mpich") not in FLAVOURS:
        raise TableError(f"{where}: flavour must be one of {', '.join(FLAVOURS)}")
    texts = [t for t in match[3].split(", ") if t != "void"]
    variadic = bool(texts) and texts[-1] == "..."
    parameters = [parse_parameter(t, where) for t in (texts[:-1] if variadic else texts)]
    return Function(identifier, match[1], match[2], parameters, variadic, notes)


def read_table(path):
    """All functions; raises TableError for a bad line, a duplicate or hooks whose parameter lists differ."""
    functions = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if line and not line.startswith("#"):
                functions.append(parse_line(line, len(functions) + 1, f"{path}:{number}"))
    seen, hooks = set(), {}
    for function in functions:
        if function.name in seen:
            raise TableError(f"{path}: {function.name} stands there twice")
        seen.add(function.name)
        if function.hook:
            first = hooks.setdefault(function.hook, function)
            if [p.type_text() for p in first.parameters] != [p.type_text() for p in function.parameters]:
                raise TableError(f"{path}: {first.name} and {function.name} share hook {function.hook} but not their parameters")
    return functions


def hooks_of(functions):
    """hook name -> the functions that use it, in table order."""
    hooks = {}
    for function in functions:
        if function.hook:
            hooks.setdefault(function.hook, []).append(function)
    return hooks
