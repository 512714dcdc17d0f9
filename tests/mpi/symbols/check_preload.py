#!/usr/bin/python3
"""The preloaded library disturbs nobody: programs without MPI, a module that brings MPI in privately, the other MPI.

Each program runs with LD_BIND_NOW set and not, with MORA_DIR set and not. Checked are its output, its exit code and what it left
in MORA_DIR: a journal if the MPI is the library's own, the reason if it is the other, else nothing.
"""

import argparse
import os
import subprocess
import sys
import tempfile

SUM = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).sum_of_three())"


def run(command, library, directory, bind_now):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "LD_PRELOAD": library}
    environment.pop("MORA_DIR", None)
    if directory:
        environment["MORA_DIR"] = directory
    if bind_now:
        environment["LD_BIND_NOW"] = "1"
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def left_in(directory):
    return sorted({os.path.splitext(name)[1] for _, _, names in os.walk(directory) for name in names})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--own", required=True, help="module of the library's flavour")
    parser.add_argument("--foreign", required=True, help="module of the other flavour")
    options = parser.parse_args()
    python = "/usr/bin/python3"
    programs = [(["/bin/true"], "", None), (["/bin/sh", "-c", "echo $((1 + 2)); /bin/true"], "3\n", None),
                ([python, "-c", "print(3)"], "3\n", None), ([python, "-c", SUM, options.own], "3\n", ".journal"),
                ([python, "-c", SUM, options.foreign], "3\n", ".problem")]
    faults = 0
    for command, output, leaves in programs:
        for bind_now in (False, True):
            for recording in (False, True):
                with tempfile.TemporaryDirectory(prefix="mora-preload-") as directory:
                    os.mkdir(os.path.join(directory, "journal"))
                    result = run(command, options.library, directory if recording else None, bind_now)
                    left = left_in(directory)
                    right = leaves in left if leaves and recording else not left
                    if leaves == ".problem" and ".journal" in left:
                        right = False
                    if result != (0, output, "") or not right:
                        faults += 1
                        print(f"{command}, bind now {bind_now}, recording {recording}: {result}, left {left}")
    print(f"{4 * len(programs)} runs, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
