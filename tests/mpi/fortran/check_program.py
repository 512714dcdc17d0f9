#!/usr/bin/python3
"""Runs a program without and with the measurement library: equal output, and every call recorded exactly once.

FILE.expected: `FUNCTION n n …` = calls by rank (1+ = at least one: polling loops); `@RANK FUNCTION words` = the rank has a
record of this function whose line in mora_journal_dump contains these words.
"""

import argparse
import collections
import glob
import os
import re
import subprocess
import sys
import tempfile

ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
# Records that belong to a call which has a record of its own.
NOT_A_CALL = ("VECTOR",)


def run(options, variables, directory):
    command = [options.mpirun]
    for name, value in variables.items():
        command += ["-x", f"{name}={value}"] if options.flavour == "openmpi" else ["-genv", name, value]
    command += ["-n", str(options.ranks), options.program]
    done = subprocess.run(command, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, timeout=120,
                          cwd=directory)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nreturned {done.returncode}\n{done.stdout}{done.stderr}")
    return sorted(done.stdout.splitlines())


def records_of(dump, journal):
    """(rank, [(shape, function, line)]) of one journal."""
    text = subprocess.run([dump, journal], capture_output=True, text=True, check=True).stdout
    rank = int(re.search(r"^JOURNAL rank=(\d+)", text, re.M)[1])
    return rank, [(m[1], m[2], m[0]) for m in re.finditer(r"^\d+ (?:\w+=\S+ )*(\w+) (MPI_\w+) .*$", text, re.M)]


def count_calls(records):
    """Calls by function. A call that may not return has an open record first; it is the call when no other follows."""
    counts, opened = collections.Counter(), set()
    for shape, function, line in records:
        if "open" in re.findall(r"flags=(\S+)", line + " flags=")[0].split(","):
            opened.add(function)
        elif shape not in NOT_A_CALL:
            counts[function] += 1
    for function in opened:
        counts[function] = max(counts[function], 1)
    return counts


def faults_of(expected_file, journals, ranks):
    expected, wanted = {}, []
    with open(expected_file, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if line.startswith("@"):
                wanted.append((int(words[0][1:]), words[1], words[2:]))
            elif words and not line.startswith("#"):
                expected[words[0]] = words[1:]
    if sorted(journals) != list(range(ranks)):
        yield f"journals of ranks {sorted(journals)}, expected {ranks}"
        return
    for rank, records in sorted(journals.items()):
        counts = count_calls(records)
        for function in sorted(set(counts) | set(expected)):
            number = expected.get(function, ["0"] * ranks)[rank]
            right = counts[function] >= int(number[:-1]) if number.endswith("+") else counts[function] == int(number)
            if not right:
                yield f"rank {rank}: {function} recorded {counts[function]} times, expected {number}"
        for _, function, line in records:
            if not re.search(r"flags=\S*\bfortran\b", line):
                yield f"rank {rank}: not marked as a Fortran call: {line}"
    for rank, function, words in wanted:
        lines = [line for _, name, line in journals[rank] if name == function]
        if not any(" ".join(words) in line for line in lines):
            yield f"rank {rank}: no {function} with '{' '.join(words)}' among\n  " + "\n  ".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("flavour", "mpirun", "program", "library", "dump", "expected"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--ranks", type=int, required=True)
    options = parser.parse_args()
    options.program, options.library = os.path.abspath(options.program), os.path.abspath(options.library)
    with tempfile.TemporaryDirectory(prefix="mora-fortran-") as directory:
        os.mkdir(os.path.join(directory, "journal"))
        plain = run(options, {}, directory)
        recorded = run(options, {"MORA_DIR": directory, "LD_PRELOAD": ":".join(filter(None, [options.library, os.environ.get("LD_PRELOAD")]))}, directory)
        journals = dict(records_of(options.dump, j) for j in glob.glob(os.path.join(directory, "journal", "*.journal")))
        problems = glob.glob(os.path.join(directory, "journal", "*.problem"))
    faults = [f"{os.path.basename(p)} was written" for p in problems]
    if plain != recorded or not plain:
        faults.append("the output differs:\n--- without\n" + "\n".join(plain) + "\n--- with\n" + "\n".join(recorded))
    faults += faults_of(options.expected, journals, options.ranks)
    print("\n".join(faults) or f"{len(plain)} lines equal, {sum(map(len, journals.values()))} records right")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
