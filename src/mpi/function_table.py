"""functions.txt as objects: the functions in table order, their parameters and annotations, and what follows from these."""

import re
from dataclasses import dataclass, field

FLAVOURS = {"openmpi": "3.1", "mpich": "4.0"}  # and the version of MPI that the library has
KEYS = ("class", "shape", "subject", "query", "all", "since", "until", "op", "mini", "extrae", "hook", "tracked", "partial",
        "standin", "flavour", "fortran", "fortran_also")
# Calls on handles: their hooks also run while recording is off, so that the runtime's tables of handles stay right.
TRACKED = {"communicator", "request_setup", "collective_setup", "start", "request_free", "cancel", "matched_probe",
           "window_create", "window_free", "post", "start_epoch", "complete", "wait_epoch", "test_epoch", "lock", "unlock",
           "finalize"}
STARTS = {"send_start", "receive_start", "send_receive_start", "collective_start", "start", "put", "get", "accumulate"}
POINT_TO_POINT = {"send", "receive", "send_receive", "send_start", "receive_start", "send_receive_start", "request_setup",
                  "start", "probe", "matched_probe", "wait_single", "wait_multiple", "test", "cancel", "request_free"}
WINDOWS = {"window_create": "win_create", "window_free": "win_free", "fence": "fence", "post": "post",
           "start_epoch": "start", "complete": "complete", "wait_epoch": "wait", "test_epoch": "test", "lock": "lock",
           "unlock": "unlock", "put": "put", "get": "get", "accumulate": "accumulate", "passive_other": "none"}
PASSIVE = {"Win_lock_all": "lock", "Win_unlock_all": "unlock", "Win_flush": "flush", "Win_flush_all": "flush",
           "Win_flush_local": "flush_local", "Win_flush_local_all": "flush_local"}
CLASSES = POINT_TO_POINT | set(WINDOWS) | {"other", "collective", "collective_start", "collective_setup", "init", "finalize",
                                           "communicator", "file", "group", "window_attach"}
FETCHING = ("get_accumulate", "fetch_and_op", "compare_and_swap")
FLOWS = {"send": "out", "send_start": "out", "put": "out", "accumulate": "out", "receive": "in", "receive_start": "in",
         "get": "in", "send_receive": "both", "send_receive_start": "both"}
SHAPE_FLOWS = {"barrier": "none", "one_to_all": "from_root", "all_to_one": "to_root"}
# Kinds of calls in pattern traces, enum OperationClass.
KINDS = {"send": "send", "send_start": "send", "receive": "receive", "receive_start": "receive", "send_receive": "sendrecv",
         "put": "one_sided", "get": "one_sided", "accumulate": "one_sided", "communicator": "communicator", "file": "file"}


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

    @property
    def nothing(self):
        """What stands for it in a function that has none."""
        if self.stars or self.array:
            return "NULL"
        return {"MPI_Datatype": "MPI_DATATYPE_NULL", "MPI_Comm": "MPI_COMM_NULL"}.get(self.kind, "0")

    def type_text(self):
        """The type with arrays as pointers, without const: what decides how a Fortran argument is converted."""
        return self.kind.replace("const ", "") + self.stars + ("*" if self.array else "")


@dataclass
class Operation:
    """A call of pattern traces."""
    name: str      # without MPI_
    number: int
    mini: str
    kind: str
    function: object = None  # None: of no function


@dataclass
class Hook:
    """mora_post_NAME, and mora_pre_NAME if it has one."""
    name: str
    parameters: list
    has_pre: bool = False
    may_lack: bool = True  # its functions need not have all parameters


@dataclass
class Function:
    id: int
    result: str
    name: str
    parameters: list
    variadic: bool
    notes: dict = field(default_factory=dict)
    standard: object = None  # the function of the same meaning without large counts, or itself
    blocking: object = None  # what it does in one blocking call, or itself
    recorder: Hook = None

    @property
    def short(self):
        return self.name[4:]

    @property
    def enumerator(self):
        return self.short.lower()

    @property
    def hook(self):
        return self.notes.get("hook")

    @property
    def hook_parameters(self):
        """Its parameters that the hook gets."""
        names = {p.name for p in self.recorder.parameters} if self.recorder else ()
        return [p for p in self.parameters if p.name in names]

    def hook_arguments(self):
        names = {p.name for p in self.parameters}
        return ", ".join(["&call"] + [p.name if p.name in names else p.nothing for p in self.recorder.parameters])

    @property
    def call_class(self):
        return self.standard.notes.get("class", "other")

    @property
    def is_query(self):
        return "query" in self.standard.notes

    @property
    def completes_requests(self):
        return self.call_class in ("wait_single", "wait_multiple", "test")

    @property
    def is_tracked(self):
        return bool(self.hook) and (self.call_class in TRACKED or "tracked" in self.notes)

    @property
    def subject(self):
        if "subject" in self.standard.notes:
            return self.standard.notes["subject"]
        if self.call_class in POINT_TO_POINT:
            return "point_to_point"
        if self.call_class.startswith("collective"):
            return "collective"
        if self.call_class in WINDOWS or self.short.startswith("Win_"):
            return "one_sided"
        if self.short.startswith(("Comm_", "Group_", "Cart", "Graph", "Dist_graph", "Intercomm_")):
            return "communicator"
        return "file" if self.short.startswith("File_") else "other"

    @property
    def makes_request(self):
        return self.call_class != "start" and any(p.kind == "MPI_Request" and p.stars == "*" and p.name == "request"
                                                  for p in self.parameters) and self.short not in (
            "Wait", "Test", "Cancel", "Request_free", "Start", "Pready")

    @property
    def form(self):
        if self.call_class in ("test", "test_epoch") or self.short in ("Iprobe", "Improbe", "Request_get_status", "Parrived"):
            return "polls"
        if self.short.removesuffix("_c").endswith("_init") and self.makes_request:
            return "sets_up"
        splits = self.call_class == "file" and self.short.removesuffix("_c").endswith("_begin")
        return "starts" if self.call_class in STARTS or self.makes_request or splits else "blocking"

    @property
    def shape(self):
        return self.blocking.standard.notes.get("shape", "none")

    @property
    def collective(self):
        if self.call_class in ("init", "finalize"):
            return self.call_class
        return self.blocking.standard.enumerator if self.call_class.startswith("collective") else "none"

    @property
    def rma(self):
        name = self.blocking.standard.enumerator
        return name if name in FETCHING else PASSIVE.get(self.short) or WINDOWS.get(self.call_class, "none")

    @property
    def completes(self):
        if self.call_class in ("wait_single", "wait_multiple", "test"):
            return next((word for word in ("all", "any", "some") if self.short.endswith(word)), "one")
        return "one" if self.call_class == "file" and self.short.endswith("_end") else "none"

    @property
    def flow(self):
        """Where data go in a call."""
        if self.rma in FETCHING:
            return "both"
        if self.call_class in ("collective", "collective_start"):
            return SHAPE_FLOWS.get(self.shape, "all")
        return FLOWS.get(self.call_class, "none")

    @property
    def file(self):
        """What it does to a file."""
        if self.call_class != "file":
            return "none"
        name = self.short[5:]
        for word in ("read", "write"):
            if name.startswith((word, "i" + word)):
                return word
        return "position" if name.startswith("seek") else "synchronise" if name == "sync" else "management"

    @property
    def by_all(self):
        """Collective, in the standard's words."""
        if self.call_class == "file":
            return "all" in self.notes or "_all" in self.short or "_ordered" in self.short
        return self.call_class in ("collective", "collective_start", "collective_setup", "init", "finalize",
                                   "communicator", "window_create", "window_free", "fence")

    @property
    def is_bound(self):
        """Begins or ends MPI, or asks whether it has."""
        return self.short.startswith(("Init", "Finalize", "Session_"))

    @property
    def makes_objects(self):
        """About what other calls use: communicators, groups, datatypes, windows, files."""
        return self.short in ("File_open", "File_close") or self.short.startswith(
            ("Comm_", "Cart_", "Graph_", "Dist_graph_", "Group_", "Intercomm_", "Type_", "Win_create", "Win_allocate", "Win_free"))

    @property
    def is_local(self):
        """Local, in the standard's words, and returns at once: about objects of the calling process and its memory."""
        short = self.standard.short
        return self.is_query or self.standard.call_class == "group" or (
            self.standard.call_class == "other" and (
                short.startswith(("Type_", "Info_", "Op_", "Attr_", "Keyval_", "Errhandler_", "Add_error_", "Pack", "Unpack"))
                or short.endswith(("_attr", "_keyval", "_errhandler", "_name", "_mem", "_local")) and "call_" not in short
                and "lish_" not in short and not short.startswith("Lookup_") or short == "Buffer_attach"))

    @property
    def root(self):
        """Position of the argument, from 0; -1: it has none."""
        return next((i for i, p in enumerate(self.parameters) if p.name == "root"), -1)

    @property
    def has_counts(self):
        """Counts for each partner."""
        return any(p.array and "counts" in p.name for p in self.parameters)

    @property
    def operation(self):
        """Its call in pattern traces, by name."""
        if self.standard is not self and self.call_class != "file":
            return "other"
        if self.call_class == "collective_setup":
            return "collective_init"
        op = self.standard.notes.get("op", "other")
        return self.standard.enumerator if op.isdigit() else op

    @property
    def started_operation(self):
        """Of a persistent collective: what its start does."""
        if self.operation != "collective_init":
            return "other"
        return "i" + self.blocking.enumerator

    @property
    def operation_kind(self):
        if self.call_class in ("collective", "collective_start"):
            return "neighborhood" if "neighbor" in self.collective else "rooted" if self.root >= 0 else "rootless"
        return "window" if self.call_class in WINDOWS and self.call_class not in KINDS else KINDS.get(self.call_class, "local")

    def in_c(self, flavour):
        return self.notes.get("flavour", flavour) == flavour and self.notes.get("since", "1.0") <= FLAVOURS[flavour]

    def in_header(self, flavour):
        """Open MPI's mpi.h declares nothing that MPI has removed."""
        return flavour != "openmpi" or "until" not in self.notes

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


def parse_notes(annotations, keys, where):
    notes = {}
    for word in annotations.split():
        key, equals, value = word.partition("=")
        if key not in keys or not equals or key in notes:
            raise TableError(f"{where}: annotation '{word}' is unknown or given twice")
        notes[key] = value
    return notes


def parse_parameters(text, where):
    """The parameters, and whether more may follow."""
    texts = [t for t in text.split(", ") if t not in ("void", "")]
    variadic = bool(texts) and texts[-1] == "..."
    return [parse_parameter(t, where) for t in (texts[:-1] if variadic else texts)], variadic


def parse_line(line, identifier, where):
    prototype, separator, annotations = line.partition(" ;")
    match = re.fullmatch(r"(\w+) (MPI_\w+)\((.*)\)", prototype.strip())
    if not separator or not match:
        raise TableError(f"{where}: expected 'TYPE MPI_Name(PARAMETERS) ; annotations'")
    notes = parse_notes(annotations, KEYS, where)
    if notes.get("class", "other") not in CLASSES:
        raise TableError(f"{where}: class must be one of {', '.join(sorted(CLASSES))}")
    if notes.get("flavour", "mpich") not in FLAVOURS:
        raise TableError(f"{where}: flavour must be one of {', '.join(FLAVOURS)}")
    return Function(identifier, match[1], match[2], *parse_parameters(match[3], where), notes)


def parse_hook(line, where):
    match = re.fullmatch(r"hook (\w+)\((.*)\)( ; pre=yes)?", line)
    if not match:
        raise TableError(f"{where}: expected 'hook NAME(PARAMETERS) ; pre=yes'")
    return Hook(match[1], parse_parameters(match[2], where)[0], bool(match[3]))


def parse_operation(line, where):
    match = re.fullmatch(r"operation (\w+) ; (.*)", line)
    if not match:
        raise TableError(f"{where}: expected 'operation NAME ; op=NUMBER kind=NAME'")
    notes = parse_notes(match[2], ("op", "kind"), where)
    return Operation(match[1], int(notes["op"]), "", notes["kind"])


def blocking_names(function):
    """Where what it does might stand as one blocking call."""
    name = function.short.removesuffix("_c")
    yield from (name.removesuffix("_init"), name.removesuffix("_begin"))
    if name.startswith("I"):
        yield "Mprobe" if name == "Improbe" else name[1:].capitalize()
    if name.startswith("R"):
        yield name[1:].capitalize()
    yield name.replace("Comm_idup", "Comm_dup")
    yield name.replace("File_i", "File_")
    yield name.replace("Test", "Wait").replace("Win_test", "Win_wait")


def link(functions):
    """Finds each function's standard and blocking form."""
    by_name = {f.name: f for f in functions}
    for f in functions:
        f.standard = by_name.get(f.name[:-2], f) if f.name.endswith("_c") else f
    for f in functions:
        names = ("MPI_" + n for n in blocking_names(f)) if f.form != "blocking" else ()
        f.blocking = next((by_name[n] for n in names if n in by_name and n != f.standard.name), f.standard)


def give_hooks(functions, hooks, path):
    """Finds each function's hook; a hook without a line of its own gets the parameters of its first function."""
    for function in functions:
        if not function.hook:
            continue
        hook = hooks.setdefault(function.hook, Hook(function.hook, function.parameters, may_lack=False))
        own = {p.name: p.type_text() for p in function.parameters}
        lacking = [p for p in hook.parameters if p.name not in own and not hook.may_lack]
        if lacking or any(own.get(p.name, p.type_text()) != p.type_text() for p in hook.parameters):
            raise TableError(f"{path}: {function.name} has other parameters than its hook, {hook.name}")
        function.recorder = hook


def read_table(path):
    """All functions; raises TableError for a bad line, a duplicate or a hook that does not fit its function."""
    functions, hooks, seen = [], {}, set()
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if line.startswith("hook "):
                hook = parse_hook(line, f"{path}:{number}")
                hooks[hook.name] = hook
            elif line and not line.startswith(("#", "operation ")):
                functions.append(parse_line(line, len(functions) + 1, f"{path}:{number}"))
    for function in functions:
        if function.name in seen:
            raise TableError(f"{path}: {function.name} stands there twice")
        seen.add(function.name)
    give_hooks(functions, hooks, path)
    link(functions)
    return functions


def read_operations(path, functions):
    """The calls of pattern traces, by number; raises TableError if a number is missing or stands twice."""
    operations = [Operation(f.short, int(f.notes["op"]), f.notes.get("mini", ""), f.operation_kind, f)
                  for f in functions if f.notes.get("op", "").isdigit()]
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.startswith("operation "):
                operations.append(parse_operation(line.strip(), f"{path}:{number}"))
    operations.sort(key=lambda o: o.number)
    if [o.number for o in operations] != list(range(len(operations))):
        raise TableError(f"{path}: numbers of operations are missing or stand twice")
    return operations


def hooks_of(functions):
    """Each hook, with the functions that use it, in table order."""
    hooks = {}
    for function in functions:
        if function.recorder:
            hooks.setdefault(function.hook, (function.recorder, []))[1].append(function)
    return list(hooks.values())
