"""The Fortran side: mpi_x_ (mpif.h and `use mpi`).

The real routine always gets the program's own arguments; only an ignored status is replaced, by one of ours. For a
function with a hook every C parameter is made from its Fortran argument by its type, before the call (inputs) and after
it (outputs). The rules are the methods of Conversion, one per kind of parameter.
"""

from emit_c import ALWAYS, BANNER, begin_call, hook_call, inlining, is_partner, is_question, open_call_lines, query_lines

HANDLES = {"MPI_Comm": "Comm", "MPI_Datatype": "Type", "MPI_Group": "Group", "MPI_Info": "Info", "MPI_Op": "Op",
           "MPI_Request": "Request", "MPI_Win": "Win", "MPI_Errhandler": "Errhandler", "MPI_Message": "Message", "MPI_File": "File"}
NULLS = {"MPI_Comm": "MPI_COMM_NULL", "MPI_Request": "MPI_REQUEST_NULL", "MPI_Win": "MPI_WIN_NULL",
         "MPI_Message": "MPI_MESSAGE_NULL", "MPI_Datatype": "MPI_DATATYPE_NULL", "MPI_File": "MPI_FILE_NULL"}
# Hooks whose single handle parameter goes in as well as out.
HANDLE_GOES_IN = ("comm_free", "win_free", "wait", "test", "start", "cancel", "request_free", "mrecv", "imrecv", "file_close", "type_free")
# Fortran bindings that do not have C's parameters.
OTHER_PARAMETERS = {"MPI_Init": [], "MPI_Init_thread": ["required", "provided"], "MPI_Info_create_env": ["info"]}
NO_IERROR = ("MPI_Pcontrol",)


def arguments_of(function):
    """Fortran's by-reference arguments, and the hidden lengths of its strings."""
    names = OTHER_PARAMETERS.get(function.name)
    if names is None:
        names = [p.name for p in function.parameters]
    strings = [p.name for p in function.parameters if p.kind in ("char", "const char")]
    lengths = [f"length_{s}" for s in strings if s in names]
    if function.result == "int" and function.name not in NO_IERROR:
        names = names + ["ierror"]
    return names, lengths


class Conversion:
    """The lines that make a hook's C arguments; `real` maps an argument to what the real routine gets instead."""

    def __init__(self, function):
        self.function, self.before, self.after, self.real, self.scratch = function, [], [], {}, []
        passed = {p.name for p in function.hook_parameters}
        self.parameters = [p for p in function.parameters if p.name in passed or is_partner(p)]
        self.names = {p.name for p in self.parameters}
        for p in self.parameters:
            self.convert(p)

    def convert(self, p):
        f, kind = f"f_{p.name}", p.kind.replace("const ", "")
        if kind == "MPI_Status":
            self.status(p, f)
        elif kind == "char":
            self.string(p, f)
        elif kind in HANDLES and p.array:
            self.handle_array(p, f, kind)
        elif kind in HANDLES and p.stars:
            self.handle_pointer(p, f, kind)
        elif kind in HANDLES:
            self.before.append(f"{kind} {p.name} = PMPI_{HANDLES[kind]}_f2c(*(MPI_Fint*){f});")
        elif kind == "void":
            self.buffer(p, f)
        elif p.name == "array_of_indices":
            self.index_array(p, f)
        elif p.array:
            self.before.append(f"{p.kind}* {p.name} = {f};")
        elif p.stars:
            self.output(p, f, kind)
        else:
            self.before.append(f"{kind} {p.name} = *({kind}*){f};")

    def take(self, pointer, slot, count):
        self.scratch.append(pointer)
        return f"{pointer} = mora_scratch(MORA_SCRATCH_{slot}, {count}, sizeof *{pointer});"

    def count(self):
        return "incount" if "incount" in self.names else "count"

    def status(self, p, f):
        if not p.array:
            self.before += [f"MPI_Status* {p.name} = &call.status;", "MPI_Fint own_status[MORA_FORTRAN_STATUS_INTS];",
                            f"void* r_{p.name} = mora_is_status_ignore({f}) ? own_status : {f};"]
            self.real[p.name] = f"r_{p.name}"
            self.after.append(f"if (mora_ok{' && flag_value' if 'flag' in self.names else ''}) mora_statuses_from_fortran({p.name}, r_{p.name}, 1);")
            return
        self.before += [f"MPI_Status* {p.name};", self.take(p.name, "STATUSES", self.count()),
                        f"MPI_Fint (*own_statuses)[MORA_FORTRAN_STATUS_INTS];",
                        self.take("own_statuses", "FORTRAN_STATUSES", self.count()),
                        f"void* r_{p.name} = mora_is_statuses_ignore({f}) ? (void*)own_statuses : {f};"]
        self.real[p.name] = f"r_{p.name}"
        done = "outcount_value" if "outcount" in self.names else ("flag_value ? count : 0" if "flag" in self.names else "count")
        self.after.append(f"if (mora_ok) mora_statuses_from_fortran({p.name}, r_{p.name}, {done});")

    def string(self, p, f):
        self.before += [f"char {p.name}[MPI_MAX_PORT_NAME];",
                        f"mora_string_from_fortran({p.name}, sizeof {p.name}, {f}, length_{p.name});"]

    def handle_array(self, p, f, kind):
        one = f"PMPI_{HANDLES[kind]}_f2c(((MPI_Fint*){f})[i])"
        if kind == "MPI_Request":
            loop = f"for (int i = 0; i < {self.count()}; ++i) {p.name}[i] = {one};"
            self.before += [f"MPI_Request* {p.name};", self.take(p.name, "REQUESTS", self.count()),
                            f"if ({p.name}) {loop}"]
            self.after.append(loop)
        else:  # MPI_Alltoallw: comm is converted later in the list, so this is put off
            slot = "TYPES" if p.name == "sendtypes" else "MORE_TYPES"
            peers = "receivers" if p.name == "sendtypes" else "senders"
            self.late = getattr(self, "late", [])
            self.late += [f"MPI_Datatype* {p.name};", self.take(p.name, slot, peers)]
            used = f"{p.name} && sendbuf != MPI_IN_PLACE" if p.name == "sendtypes" and "sendbuf" in self.names else p.name
            self.late.append(f"if ({used}) for (int i = 0; i < {peers}; ++i) {p.name}[i] = {one};")

    def handle_pointer(self, p, f, kind):
        convert = f"PMPI_{HANDLES[kind]}_f2c(*(MPI_Fint*){f})"
        goes_in = self.function.hook in HANDLE_GOES_IN and p.name in ("comm", "win", "request", "message", "fh", "type") and not (
            self.function.hook == "imrecv" and p.name == "request")
        self.before += [f"{kind} {p.name}_value = {convert if goes_in else NULLS[kind]};", f"{kind}* {p.name} = &{p.name}_value;"]
        made = "mora_ok && flag_value" if "flag" in self.names and not goes_in else "mora_ok"
        self.after.append(f"if ({made}) {p.name}_value = {convert};")

    def buffer(self, p, f):
        cast = "" if p.kind.startswith("const") else "(void*)"
        self.before.append(f"{p.kind}* {p.name} = {cast}mora_buffer_from_fortran({f});")

    def index_array(self, p, f):
        self.before += [f"int* {p.name};", self.take(p.name, "INDICES", self.count())]
        self.after.append(f"if (mora_ok) for (int i = 0; i < outcount_value; ++i) {p.name}[i] = ((MPI_Fint*){f})[i] - 1;")

    def output(self, p, f, kind):
        self.before += [f"{kind} {p.name}_value = 0;", f"{kind}* {p.name} = &{p.name}_value;"]
        value = f"*(MPI_Fint*){f}"
        lines = [f"{p.name}_value = {value};"]
        if p.name == "flag":
            lines = [f"flag_value = {value} != 0;"]
        elif p.name == "index":
            lines = [f"index_value = {value};", "if (index_value != MPI_UNDEFINED) --index_value;"]
        elif p.name == "outcount":
            lines.append("if (outcount_value == MPI_UNDEFINED || outcount_value < 0) outcount_value = 0;")
        self.after = [f"if (mora_ok) {{ {' '.join(lines)} }}"] + self.after  # others depend on flag and outcount
        if p.name == "outcount":
            self.after.append(f"if (mora_ok) outcount_value = {value};")

    def lines_before(self):
        late = getattr(self, "late", [])
        if not late:
            return self.before
        count = "mora_count_neighbors" if "neighbor" in self.function.hook else "mora_count_peers"
        return self.before + ["int receivers, senders;", f"{count}(comm, &receivers, &senders);"] + late


def hooked_body(function, call_real, names, lengths):
    conversion = Conversion(function)
    real_arguments = ", ".join([conversion.real.get(n, f"f_{n}") for n in names] + lengths)
    lines = ["  " + line for line in conversion.lines_before()]
    if conversion.scratch:
        lines += [f"  if (!({' && '.join(conversion.scratch)})) {{", f"    {call_real}({', '.join(['f_' + n for n in names] + lengths)});",
                  "    mora_returned(&call, *(MPI_Fint*)f_ierror);", "    mora_finish_plain(&call);", "    return;", "  }"]
    rc = "*(MPI_Fint*)f_ierror" if "ierror" in names else "MPI_SUCCESS"
    lines += open_call_lines(function) + hook_call(function, "pre")
    lines += [f"  {call_real}({real_arguments});", f"  const int rc = {rc};", "  mora_returned(&call, rc);"]
    if any("mora_ok" in line for line in conversion.after):
        lines.append("  const int mora_ok = rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS;")
    lines += ["  " + line for line in conversion.after]
    return lines + hook_call(function, "post")


def plain_body(function, call_real, names, lengths):
    arguments = ", ".join(["f_" + n for n in names] + lengths)
    if function.result != "int":
        return [f"  const {function.result} value = {call_real}({arguments});", "  mora_returned(&call, MPI_SUCCESS);",
                "  mora_finish_plain(&call);", "  return value;"]
    finish = "mora_finish_partial" if function.notes.get("partial") == "yes" else "mora_finish_plain"
    return [f"  {call_real}({arguments});", "  mora_returned(&call, *(MPI_Fint*)f_ierror);", f"  {finish}(&call);"]


def fortran_wrapper(function, symbol, real=None, spellings=()):
    """`real`: the routine behind it; in mpi_f08, where ierror may be absent, its name is not made from `symbol`."""
    names, lengths = arguments_of(function)
    f08 = real is not None
    real = real or f"p{symbol}_"
    result = "void" if function.result == "int" else function.result
    parameters = ", ".join([f"void* f_{n}" for n in names] + [f"size_t {x}" for x in lengths]) or "void"
    types = ", ".join(["void*"] * len(names) + ["size_t"] * len(lengths)) or "void"
    arguments = ", ".join(["f_" + n for n in names] + lengths)
    call_real = f"(({result}(*)({types}))real)"
    lines = [f"MORA_EXPORT {result} {symbol}_({parameters});",
             f"{inlining(function)}{result} {symbol}_({parameters})", "{", "  static mora_routine cache;",
             f'  const mora_routine real = mora_find_routine(&cache, "{real}");']
    if f08 and "ierror" in names:
        lines += ["  MPI_Fint own_ierror = 0;", "  if (!f_ierror) f_ierror = &own_ierror;"]
    if result != "void":
        lines.append("  if (!real) return 0;")
    elif "ierror" in names:
        lines += ["  if (!real) {", "    *(MPI_Fint*)f_ierror = MPI_ERR_OTHER;", "    return;", "  }"]
    else:
        lines.append("  if (!real) return;")
    forward = f"{call_real}({arguments});"
    if is_question(function):
        inside = f"mora_self.gate = MORA_GATE_SHUT; {call_real}({arguments}); mora_self.gate = mora_self.gate_resting"
        lines += query_lines(function, inside, "*(MPI_Fint*)f_ierror", "return")  # MPICH's calls MPI_X of C
    lines += ["  struct mora_call call;"]
    if function.hook in ALWAYS:
        lines += ["  mora_find_mpi();", f"  if (mora_mpi_is_foreign || !{begin_call(function)}) {{"]
        lines += ["    if (mora_mpi_is_foreign) mora_report_foreign_mpi();"] if function.hook != "pcontrol" else []
    else:
        lines += [f"  if (!{begin_call(function)}) {{"]
    lines += [f"    return {forward}"] if result != "void" else [f"    {forward}", "    return;"]
    lines += ["  }", "  call.flags |= MORA_FLAG_FORTRAN;", "  mora_find_mpi();"]
    body = hooked_body if function.hook else plain_body
    lines += body(function, call_real, names, lengths) + ["}"]
    lines += [f'MORA_EXPORT {result} {s}({parameters}) __attribute__((alias("{symbol}_")));' for s in spellings]
    return lines + [""]


def spellings_of(symbol, flavour):
    """How programs name it; under Open MPI also how mpi_f08 does (ompi_send_f is mpi_send_ by another name)."""
    return [symbol, symbol + "__", symbol.upper()] + ([f"ompi_{symbol[4:]}_f"] if flavour == "openmpi" else [])


# Routines of Open MPI's mpi_f08 that call pmpi_x_ and not ompi_x_f.
F08_OF_OPEN_MPI = ("cart_create", "cart_sub", "dist_graph_create", "dist_graph_create_adjacent", "graph_create", "improbe",
                   "intercomm_merge", "iprobe", "test", "testall", "testany", "testsome", "win_test")


def is_f08_wrapped(function, flavour):
    """Routines of mpi_f08 that must be caught themselves. MPICH's routines with buffers call MPI_X, the others PMPI_X."""
    if function.result != "int" or not function.in_fortran(flavour) or function.is_query:
        return False
    if "until" in function.notes or function.name in ("MPI_Attr_delete", "MPI_Attr_put", "MPI_Keyval_create", "MPI_Keyval_free"):
        return False  # mpi_f08 never had them
    if flavour == "openmpi":
        return function.name[4:].lower() in F08_OF_OPEN_MPI
    has_buffer = any(p.kind in ("void", "const void") and p.stars == "*" for p in function.parameters)
    return not has_buffer


def fortran_wrappers(functions, flavour):
    lines = [BANNER, '#include "measure/mpi/fortran_binding.h"', '#include "functions.h"', '#include "journal/format.h"',
             '#include "measure/handles/neighbors.h"', '#include "measure/handles/open_call.h"', '#include "hooks.h"', ""]
    for function in functions:
        if function.in_fortran(flavour):
            for symbol in function.fortran_names(flavour):
                lines += fortran_wrapper(function, symbol, spellings=spellings_of(symbol, flavour))
        if is_f08_wrapped(function, flavour):
            name = function.name.lower()
            real = f"pmpi_{name[4:]}_f08_" if flavour == "openmpi" else f"pmpir_{name[4:]}_f08_"
            lines += fortran_wrapper(function, f"{name}_f08", real)
    return "\n".join(lines)
