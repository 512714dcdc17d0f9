#!/usr/bin/env python3
"""The matrix of a pattern recording with its default model, against what Open MPI really sends: chance's collectives (recorded.c).

    recorded.py --mora MORA --include FOLDER [--ranks N,N,...] [--cases N] [--seed N]
"""
import argparse
import csv
import io
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def run(*words, **around):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **around)
    if done.returncode != 0:
        raise SystemExit(f"{words}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def sent_by(text):
    """case -> {(from, to): (messages, bytes)}"""
    found = {}
    for line in text.splitlines():
        if line.startswith("case "):
            now = found.setdefault(line[5:], {})
        else:
            source, target, messages, size = map(int, line.split())
            now[source, target] = (messages, size)
    return found


def said_by(text):
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        if int(row["messages"]) > 0:
            found.setdefault(row["phase"], {})[int(row["from"]), int(row["to"])] = (int(row["messages"]), int(row["bytes"]))
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mora", required=True)
    options.add_argument("--include", required=True)
    options.add_argument("--ranks", default="2,3,7")
    options.add_argument("--cases", default="200")
    options.add_argument("--seed", default="1")
    options = options.parse_args()
    mpirun, mpicc = shutil.which("mpirun.openmpi"), shutil.which("mpicc.openmpi")
    if mpirun is None or mpicc is None:
        print("no Open MPI here")
        return 77
    around = {key: value for key, value in os.environ.items() if not key.startswith("OMPI_MCA_") or "tmpdir" in key}
    around.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl="self,vader", OMPI_MCA_mpi_yield_when_idle="1",
                  OMPI_MCA_rmaps_base_oversubscribe="1")
    tried, wrong = 0, 0
    with tempfile.TemporaryDirectory() as directory:
        program = directory + "/recorded"
        run(mpicc, "-O1", "-rdynamic", "-I", options.include, HERE + "/recorded.c", "-o", program)
        for ranks in options.ranks.split(","):
            sent = sent_by(run(mpirun, "-n", ranks, "--mca", "pml_monitoring_enable", "1", program, "sent", options.seed, options.cases, env=around))
            pattern = f"{directory}/pattern-{ranks}"
            run(options.mora, "pattern", "record", "-o", pattern, mpirun, "-n", ranks, program, "recorded", options.seed, options.cases, env=around)
            said = said_by(run(options.mora, "pattern", "matrix", "--csv", pattern))
            tried += len(sent)
            for case, theirs in sent.items():
                mine = said.get(case, {})
                if mine != theirs:
                    wrong += 1
                    pairs = [pair for pair in sorted({*theirs, *mine}) if theirs.get(pair) != mine.get(pair)]
                    print(f"DIFFERS  {ranks} ranks: {case}  {len(pairs)} pairs, (from, to): sent, said",
                          *(f"{p}: {theirs.get(p)}, {mine.get(p)}" for p in pairs[:4]), sep="  ", file=sys.stderr)
    print(f"{tried} cases, {wrong} differ")
    return 1 if wrong or tried != int(options.cases) * len(options.ranks.split(",")) else 0


if __name__ == "__main__":
    sys.exit(main())
