#!/usr/bin/python3
"""Generates the MPI wrappers from src/mpi/functions.txt (standard library only).

  generate.py --table FILE --flavour F --mpi-header FILE --wrappers DIR
                                                                  mpi_symbols.h, hooks.h, wrappers_c.c, wrappers_fortran.c
  generate.py --table FILE --flavour F --mpi-header FILE --standin DIR
                                                                  mpi_symbols.h, standin_functions.h, standin_entries.c
"""

import argparse
import os
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "mpi")
sys.path.append(TABLE)

import emit_c  # noqa: E402
import emit_fortran  # noqa: E402
import emit_standin  # noqa: E402
import function_table  # noqa: E402


def write_text(directory, name, text):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", default=os.path.join(TABLE, "functions.txt"))
    parser.add_argument("--wrappers", metavar="DIR")
    parser.add_argument("--standin", metavar="DIR")
    parser.add_argument("--flavour", choices=list(function_table.FLAVOURS))
    parser.add_argument("--mpi-header", metavar="FILE")
    options = parser.parse_args()
    try:
        functions = function_table.read_table(options.table)
        if options.wrappers:
            if not options.flavour or not options.mpi_header:
                parser.error("--wrappers needs --flavour and --mpi-header")
            symbols = emit_c.binding_header(functions, options.flavour, options.mpi_header)
            write_text(options.wrappers, "mpi_symbols.h", symbols)
            write_text(options.wrappers, "hooks.h", emit_c.hooks_header(functions))
            write_text(options.wrappers, "wrappers_c.c", emit_c.c_wrappers(functions, options.flavour))
            write_text(options.wrappers, "wrappers_fortran.c", emit_fortran.fortran_wrappers(functions, options.flavour))
        if options.standin:
            symbols = emit_c.binding_header(functions, options.flavour, options.mpi_header)
            write_text(options.standin, "mpi_symbols.h", symbols)
            write_text(options.standin, "standin_functions.h", emit_standin.declarations(functions, options.flavour))
            write_text(options.standin, "standin_entries.c", emit_standin.entries(functions, options.flavour))
    except (function_table.TableError, OSError) as error:
        sys.exit(f"generate.py: {error}")


if __name__ == "__main__":
    main()
