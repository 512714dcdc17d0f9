"""The stand-in library of the dry run: its exported entries MPI_X and PMPI_X, and a refusing default of each.

The stand-in defines every function that takes a communicator, group, request, message, window, file or session, and those
that begin and end MPI. Attributes, names, error handlers, infos and packing stay with the real library: the handles are its
own. Where a function takes one communicator or window, the stand-in's gets what the handle means; a handle that it does not
know is the real library's, which then answers. What starts something is done when it is called, unless it is written."""

from emit_c import BANNER

OURS = {"MPI_Comm", "MPI_Group", "MPI_Request", "MPI_Message", "MPI_Win", "MPI_File", "MPI_Session"}


OBJECTS = {"MPI_Comm": "comm", "MPI_Win": "window"}
# What the real library does with a handle, or nobody does.
BY_HANDLE = {"Abort", "Comm_set_attr", "Attr_put", "Win_attach", "Win_detach", "Win_set_info", "Win_get_info"}
REQUEST_KINDS = {"send_start": "SEND", "collective_start": "COLLECTIVE", "put": "RMA", "get": "RMA", "accumulate": "RMA",
                 "communicator": "COMM"}


def is_ours(function):
    has_handle = any(p.kind.replace("const ", "") in OURS for p in function.parameters)
    return function.notes.get("standin", "own" if function.result == "int" and has_handle else "real") == "own"


def ours(functions, flavour):
    return [f for f in functions if f.in_c(flavour) and is_ours(f)]


def short(function):
    return function.name[4:]


def object_of(function):
    """The parameter in whose place the stand-in's function gets what it means; None: it gets handles."""
    handles = [p for p in function.parameters if p.kind in OBJECTS and not p.stars and not p.array]
    return handles[0] if len(handles) == 1 and short(function) not in BY_HANDLE else None


def parameter_text(function):
    taken = object_of(function)
    return ", ".join(f"struct standin_{OBJECTS[p.kind]}* {p.name}" if p is taken else p.declaration()
                     for p in function.parameters) or "void"


def declarations(functions, flavour):
    lines = [BANNER, "/* standin_X: what the stand-in does in MPI_X. Those that are not written refuse (standin_entries.c). */",
             "#ifndef MORA_GENERATED_STANDIN_FUNCTIONS_H", "#define MORA_GENERATED_STANDIN_FUNCTIONS_H", "",
             '#include "measure/mpi/mpi_binding.h"', "", "struct standin_comm;", "struct standin_window;", ""]
    lines += [f"int standin_{short(f)}({parameter_text(f)});" for f in ours(functions, flavour)]
    return "\n".join(lines + ["", "#endif", ""])


def call(function):
    """The call of the stand-in's function by its entry; what it does not know goes to the real library."""
    name, taken = short(function), object_of(function)
    if taken is None:
        return [f"  const int rc = standin_{name}({function.argument_text()});"]
    arguments = ", ".join("object" if p is taken else p.name for p in function.parameters)
    kind = OBJECTS[taken.kind]
    return [f"  struct standin_{kind}* object = standin_{kind}_of({taken.name});",
            f"  const int rc = object ? standin_{name}({arguments}) : PMPI_{name}({function.argument_text()});"]


def by_default(function):
    """What a function does that is not written: what starts something does it at once, others refuse."""
    name, blocking = short(function), function.blocking
    names = [p.name for p in function.parameters]
    if (function.form == "starts" and function.call_class in REQUEST_KINDS and blocking is not function and is_ours(blocking)
            and [p.declaration() for p in blocking.parameters] == [p.declaration() for p in function.parameters[:-1]]
            and names[-1] == "request"):
        return ["  standin_start_only();", f"  const int rc = standin_{short(blocking)}({', '.join(names[:-1])});",
                f"  if (rc == MPI_SUCCESS) standin_started_request(STANDIN_{REQUEST_KINDS[function.call_class]}, request);",
                "  else standin_what_was_started();",
                "  return rc;"]
    taken = object_of(function)
    comm = taken.name if taken and taken.kind == "MPI_Comm" else "NULL"
    return [f"  (void){n};" for n in names if n != comm] + [f"  return standin_unsupported({comm});"]


def entry(function):
    name, parameters = short(function), function.parameter_text()
    return [f'MORA_EXPORT int standin_entry_{name}({parameters}) __asm__("{function.name}");',
            f'MORA_EXPORT int standin_profiled_{name}({parameters}) __asm__("P{function.name}") '
            f'__attribute__((alias("{function.name}")));',
            f"int standin_entry_{name}({parameters})", "{",
            "  if (!standin_active) {", "    standin_find_mpi();",
            f"    return PMPI_{name}({function.argument_text()});", "  }",
            f"  const unsigned outer = standin_enter(MORA_FN_{function.name});"] + call(function) + [
                "  standin_leave(outer);", "  return rc;", "}",
                f"__attribute__((weak)) int standin_{name}({parameter_text(function)})", "{"] + by_default(function) + ["}", ""]


def entries(functions, flavour):
    lines = [BANNER, '#include "functions.h"', '#include "measure/standin/core/standin_entry.h"',
             '#include "measure/standin/messages/messages.h"', '#include "measure/standin/one_sided/window.h"',
             '#include "standin_functions.h"', ""]
    for function in ours(functions, flavour):
        lines += entry(function)
    return "\n".join(lines)
