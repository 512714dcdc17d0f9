#!/usr/bin/python3
"""Compares the table of MPI prototypes with what an MPI library and our preloaded library export.

Nothing missing: every MPI_* function of the library is in the table or named in LEFT_OUT, every function of the table
is in the library, ours exports all of them and their Fortran spellings. Nothing extra: ours exports nothing else.
"""

import argparse
import re
import subprocess
import sys

# Why these are not wrapped: src/measure/mpi/README.md.
LEFT_OUT = [
    r"MPI_T_\w+",                                   # the tools interface
    r"MPI_\w+_(f2c|c2f)", r"MPI_Status_\w*f08\w*",  # handle and status conversions
    r"MPI_\w+_FN", r"MPI_CONVERSION_FN_NULL",       # predefined callbacks
    r"MPI_\w+_F90",                                 # Open MPI: inner routines of MPI_WTIME, MPI_AINT_ADD in Fortran 90
]
FORTRAN_LEFT_OUT = [
    r"mpi_\w+_f08(ts)?(_large)?",                   # mpi_f08: those that must be wrapped are in emit_fortran.py
    r"mpi_sizeof_\w+",                              # resolved by type, asks nothing of MPI
    r"mpi_f_sync_reg",                              # does nothing, on purpose
    r"mpi_(\w+_)?fn", r"mpi_conversion_fn_null",    # predefined callbacks
]
# What include/mora/mora.h and mora.F90 call: src/measure/user.
END = {"_exit", "dlclose"}  # src/measure/recorder/end.c, stacks.c
SIGNALS = {"sigaction", "signal"}  # src/measure/samples/samples.c: the program may want the signal of samples
MARKS = {"mora_mark_begin", "mora_mark_end", "mora_mark_begin_at", "mora_mark_end_at"}
FUNCTIONS = {"__cyg_profile_func_enter", "__cyg_profile_func_exit"}  # what -finstrument-functions calls
# src/measure/openmp: what GCC's OpenMP library is asked, and what LLVM's asks for
OPENMP = re.compile(r"GOMP_(parallel|barrier|critical|ordered|loop_\w*(start|end)|sections2?_(start|end)|single_copy|task(wait|group_end|loop)?)\w*|omp_(un)?set_(nest_)?lock_?|ompt_start_tool")
PTHREADS = re.compile(r"pthread_(create|join|mutex_((un|timed|clock)?lock)|cond_(wait|timedwait|clockwait|signal|broadcast)|rwlock_((timed|clock)?(rd|wr)lock|unlock)|spin_(un)?lock"
                      r"|barrier_wait)|sem_(wait|timedwait|clockwait|post)")  # src/measure/pthread
DEVICES = re.compile(r"(cuda|hip|cu)[A-Z]\w+")  # src/measure/device
SHMEM = re.compile(r"shmemx?_\w+|start_pes|sh(malloc|memalign|realloc|free)")  # tests/mpi/shmem compares them with liboshmem
# MinI's annotations, in C and in Fortran.
MINI = {spelling for name in ("mini_annotate_phase_start", "mini_annotate_phase_end")
        for spelling in (name, f"{name}_", f"{name}__", name.upper())}


def exported(path):
    """Names of the functions a library exports, and of everything else it exports."""
    lines = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    functions, data = set(), set()
    for line in lines.splitlines():
        kind, name = line.split()[-2:]
        (functions if kind in "TWi" else data).add(name.split("@")[0])
    return functions, data


def matches_any(name, patterns):
    return any(re.fullmatch(p, name) for p in patterns)


def check_c(table, library, flavour):
    wanted = {f.name for f in table if f.in_c(flavour)}
    there = {n for n in library if n.startswith("MPI_")}
    for name in sorted(there - wanted):
        if not matches_any(name, LEFT_OUT):
            yield f"{name}: exported by the library, not in the table"
    for name in sorted(wanted - there):
        yield f"{name}: in the table, not exported by the library"
    for name in sorted(n for n in there & wanted if f"P{n}" not in library):
        yield f"P{name}: not exported, the wrapper could not forward"


def check_fortran(table, library, flavour):
    wanted = {s for f in table if f.in_fortran(flavour) for s in f.fortran_names(flavour)}
    there = {n[:-1] for n in library if re.fullmatch(r"mpi_\w*[a-z0-9]_", n)}
    for name in sorted(there - wanted):
        if not matches_any(name, FORTRAN_LEFT_OUT):
            yield f"{name}_: exported by the Fortran library, not wrapped"
    for name in sorted(wanted - there):
        yield f"{name}_: wrapped, not exported by the Fortran library"
    for name in sorted(n for n in there & wanted if f"p{n}_" not in library):
        yield f"p{name}_: not exported, the wrapper could not forward"


def check_f08(table, libraries, ours, flavour):
    """What mpi_f08's library calls by names that are ours, and the routines that must be wrapped themselves, are there."""
    import emit_fortran
    for function in table:
        if emit_fortran.is_f08_wrapped(function, flavour):
            name = function.name.lower()[4:]
            for wanted in (f"mpi_{name}_f08_", f"pmpi_{name}_f08_" if flavour == "openmpi" else f"pmpir_{name}_f08_"):
                if wanted not in libraries:
                    yield f"{wanted}: not exported by the library of mpi_f08"


def check_ours(table, ours, data, flavour):
    import emit_fortran
    wanted = {f.name for f in table if f.in_c(flavour)} | MARKS | FUNCTIONS | MINI | END | SIGNALS
    for function in table:
        if function.in_fortran(flavour):
            for symbol in function.fortran_names(flavour):
                wanted |= {f"{symbol}_", *emit_fortran.spellings_of(symbol, flavour)}
        if emit_fortran.is_f08_wrapped(function, flavour):
            wanted.add(f"{function.name.lower()}_f08_")
    for name in sorted(wanted - ours):
        yield f"{name}: not exported by our library"
    others = [OPENMP, PTHREADS, DEVICES] + [SHMEM] * (flavour == "openmpi")
    for name in sorted(name for name in ours - wanted if not any(other.fullmatch(name) for other in others)):
        yield f"{name}: exported by our library, accounted for nowhere"
    for name in sorted(data):
        yield f"{name}: data exported by our library"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generator", required=True, help="folder of the wrappers' generator")
    parser.add_argument("--table", required=True, help="folder of function_table.py and functions.txt")
    parser.add_argument("--flavour", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--fortran-library", required=True)
    parser.add_argument("--f08-library", help="if it is another one")
    parser.add_argument("--ours", required=True)
    options = parser.parse_args()
    sys.dont_write_bytecode = True
    sys.path[:0] = [options.generator, options.table]
    import function_table
    table = function_table.read_table(f"{options.table}/functions.txt")
    library = exported(options.library)[0]
    fortran = exported(options.fortran_library)[0]
    faults = [*check_c(table, library, options.flavour), *check_fortran(table, fortran, options.flavour),
              *check_ours(table, *exported(options.ours), options.flavour)]
    f08 = exported(options.f08_library)[0] if options.f08_library else fortran
    faults += check_f08(table, f08, exported(options.ours)[0], options.flavour)
    for fault in faults:
        print(fault)
    in_c = sum(f.in_c(options.flavour) for f in table)
    in_fortran = sum(len(f.fortran_names(options.flavour)) for f in table if f.in_fortran(options.flavour))
    print(f"{options.flavour}: {in_c} C functions, {in_fortran} Fortran routines, {len(faults)} faults")
    return 1 if faults or in_c < 300 or in_fortran < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
