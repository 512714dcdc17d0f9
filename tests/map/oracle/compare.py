#!/usr/bin/env python3
"""Compares Mora's placement with the real mpirun's on random requests.

    compare.py --answer PROGRAM [--seed N] [--count N] [--record FILE] [--show N]

Every request is asked of mpirun twice: with -novm, which tells bindings and takes the slots of silent nodes from the topology, and without,
where slots are told. Exit code 1 if one answer differs and no named reason says why.
"""
import argparse
import collections
import concurrent.futures
import datetime
import os
import subprocess
import sys

import generate
import real_mpirun


def reason(request, said, mora):
    """A named class of disagreement, or None."""
    _, words, files = generate.parse(request)
    if said == "hangs":
        return "mpirun does not answer"
    if "parse error" in said and mora.startswith("refused expected"):
        return "hostfile with a syntax error: mpirun's scanner goes on in the middle of the file"
    if any(word.startswith("seq") for word in words) and "--use-hwthread-cpus" in words and " " in files.get("H", ""):
        return "sequential hostfile with --use-hwthread-cpus: its cpus are taken for hardware threads, whatever stands there"
    return None


def main():
    real_mpirun.leave_the_network()
    os.chdir(os.path.dirname(os.path.abspath(__file__)))  # device.xml
    options = argparse.ArgumentParser()
    options.add_argument("--answer", required=True)
    options.add_argument("--seed", default="1", help="a number, or 'today': another every day")
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--show", type=int, default=10)
    options.add_argument("--record")
    options.add_argument("--requests", help="a file of requests instead of random ones")
    chosen = options.parse_args()
    if chosen.requests:
        with open(chosen.requests, encoding="ascii") as source:
            lines = [line.rstrip("\n") for line in source if line.strip()]
    else:
        seed = datetime.date.today().toordinal() if chosen.seed == "today" else int(chosen.seed)
        print(f"seed {seed}")
        lines = generate.requests(seed, chosen.count)
    done = subprocess.run([chosen.answer, "--one-process"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    mora = done.stdout.splitlines()
    oracles = [real_mpirun.Oracle() for _ in range(2)]

    def ask(index):
        oracle = oracles[index % len(oracles)]
        with oracle.lock:
            topology, words, files = generate.parse(lines[index])
            return oracle.ask([f"{{{word}}}" if word in files else word for word in words], files, topology)

    with concurrent.futures.ThreadPoolExecutor(len(oracles)) as pool:
        answers = list(pool.map(ask, range(len(lines))))
    classes, shown, accepted = collections.Counter(), 0, 0
    for line, (answer, said), mine in zip(lines, answers, mora):
        theirs = real_mpirun.answer_text(answer)
        accepted += answer is not None
        if real_mpirun.agree(theirs, mine):
            continue
        named = reason(line, said, mine)
        classes[named or "UNNAMED"] += 1
        if named is None and shown < chosen.show:
            shown += 1
            errors = " ".join(text for text in said.splitlines() if text and not text.startswith("---")) if answer is None else ""
            print(f"{line}\n  mpirun: {theirs} {errors[:200]}\n  mora:   {mine}\n")
    print(f"{len(lines)} requests, {accepted} accepted by mpirun, {sum(classes.values())} disagreements: {dict(classes)}")
    if chosen.record:
        with open(chosen.record, "w", encoding="ascii") as out:
            for line, (answer, said), mine in zip(lines, answers, mora):
                if not real_mpirun.agree(real_mpirun.answer_text(answer), mine) and reason(line, said, mine):
                    continue
                out.write(f"{line}\t=> {real_mpirun.answer_text(answer)}\n")
    return 1 if classes["UNNAMED"] else 0


if __name__ == "__main__":
    sys.exit(main())
