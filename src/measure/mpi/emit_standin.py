"""The stand-in library of the dry run: its exported entries MPI_X and PMPI_X, and a refusing default of each.

The stand-in defines every function that takes a communicator, group, request, message, window, file or session, and those
that begin and end MPI. Attributes, names, error handlers, infos and packing stay with the real library: the handles are its
own."""

from emit_c import BANNER

OURS = {"MPI_Comm", "MPI_Group", "MPI_Request", "MPI_Message", "MPI_Win", "MPI_File", "MPI_Session"}


def is_ours(function):
    has_handle = any(p.kind.replace("const ", "") in OURS for p in function.parameters)
    return function.notes.get("standin", "own" if function.result == "int" and has_handle else "real") == "own"


def ours(functions, flavour):
    return [f for f in functions if f.in_c(flavour) and is_ours(f)]


def short(function):
    return function.name[4:]


def declarations(functions, flavour):
    lines = [BANNER, "/* standin_X: what the stand-in does in MPI_X. Those that are not written refuse (standin_entries.c). */",
             "#ifndef MORA_GENERATED_STANDIN_FUNCTIONS_H", "#define MORA_GENERATED_STANDIN_FUNCTIONS_H", "",
             '#include "measure/mpi/mpi_binding.h"', ""]
    lines += [f"int standin_{short(f)}({f.parameter_text()});" for f in ours(functions, flavour)]
    return "\n".join(lines + ["", "#endif", ""])


def communicator_of(function):
    """The expression of the communicator whose error handler is called for a refusal."""
    names = [p.name for p in function.parameters if p.kind == "MPI_Comm" and not p.stars and not p.array]
    return names[0] if names else "MPI_COMM_WORLD"


def entry(function):
    name, arguments = short(function), function.argument_text()
    parameters = function.parameter_text()
    unused = [f"  (void){p.name};" for p in function.parameters if p.name != communicator_of(function)]
    return [f'MORA_EXPORT int standin_entry_{name}({parameters}) __asm__("{function.name}");',
            f'MORA_EXPORT int standin_profiled_{name}({parameters}) __asm__("P{function.name}") '
            f'__attribute__((alias("{function.name}")));',
            f"int standin_entry_{name}({parameters})", "{",
            "  if (!standin_active) {", "    standin_find_mpi();",
            f"    return PMPI_{name}({arguments});", "  }",
            f"  const unsigned outer = standin_enter(MORA_FN_{function.name});",
            f"  const int rc = standin_{name}({arguments});", "  standin_leave(outer);", "  return rc;", "}",
            f"__attribute__((weak)) int standin_{name}({parameters})", "{"] + unused + [
            f'  return standin_unsupported({communicator_of(function)}, "{function.name}");', "}", ""]


def entries(functions, flavour):
    lines = [BANNER, '#include "functions.h"', '#include "measure/standin/standin_entry.h"', '#include "standin_functions.h"', ""]
    for function in ours(functions, flavour):
        lines += entry(function)
    return "\n".join(lines)
