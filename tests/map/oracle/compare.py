#!/usr/bin/env python3
"""Compares Mora's placement with the real mpirun's on random requests.

    compare.py --answer PROGRAM [--seed N] [--count N] [--record FILE] [--show N] [--requests FILE] [--patience SECONDS]

Exit code 1 if one answer differs and no named reason says why, if a named reason stands for too many answers (`most_excused`), or if mpirun
accepts too few requests for the comparison to mean anything.
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
import refusals

SILENT_MPIRUN = "mpirun does not answer, asked twice"


def reason(request, theirs, said, mora):
    """A named class of disagreement, or None. `said` is all that mpirun printed."""
    _, words, files = generate.parse(request)
    if theirs == real_mpirun.HANGS:
        return SILENT_MPIRUN
    if refusals.of_mora(mora) == "hostfile syntax" and "parse error in the hostfile" in " ".join(said.split()):
        return "hostfile with a syntax error: mpirun's scanner goes on in the middle of the file"
    if any(word.startswith("seq") for word in words) and "--use-hwthread-cpus" in words and " " in files.get("H", ""):
        return "sequential hostfile with --use-hwthread-cpus: its cpus are taken for hardware threads, whatever stands there"
    if theirs == "refused nodes are filled" and refusals.of_mora(mora) == "too few slots":
        return "nodes are filled: Mora says that there are not enough slots"
    return None


def most_excused(requests):
    """How many answers a named reason may stand for."""
    return max(3, requests // 50)


def ask_all(lines):
    """What mpirun answers and prints. Those that got no answer are asked once more when all others are done."""
    oracles = [real_mpirun.Oracle() for _ in range(2)]

    def ask(index):
        oracle = oracles[index % len(oracles)]
        with oracle.lock:
            topology, words, files = generate.parse(lines[index])
            answer, said = oracle.ask([f"{{{word}}}" if word in files else word for word in words], files, topology)
            return real_mpirun.answer_text(answer, said), said

    with concurrent.futures.ThreadPoolExecutor(len(oracles)) as pool:
        answers = list(pool.map(ask, range(len(lines))))
    hung = [index for index, (theirs, _) in enumerate(answers) if theirs == real_mpirun.HANGS]
    for index in hung[: 2 * most_excused(len(lines))]:  # a machine on which more hang fails anyway
        answers[index] = ask(index)
    return answers


UNCLEAR = ("refused unknown message", "refused silent")


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
    options.add_argument("--patience", type=float, default=real_mpirun.PATIENCE)
    chosen = options.parse_args()
    real_mpirun.PATIENCE = chosen.patience
    if chosen.requests:
        with open(chosen.requests, encoding="ascii") as source:
            lines = [line.rstrip("\n").split("\t=> ")[0] for line in source if line.strip()]
    else:
        seed = datetime.date.today().toordinal() if chosen.seed == "today" else int(chosen.seed)
        print(f"seed {seed}")
        lines = generate.requests(seed, chosen.count)
    done = subprocess.run([chosen.answer, "--one-process"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    mora = done.stdout.splitlines()
    if len(mora) != len(lines):
        print(f"{len(lines)} requests, {len(mora)} answers of Mora")
        return 1
    answers = ask_all(lines)
    # On a loaded machine mpirun sometimes ends before its words are out: asked again, it says them.
    for _ in range(5):
        unclear = [at for at, (theirs, _) in enumerate(answers) if theirs in UNCLEAR and not real_mpirun.agree(theirs, mora[at])]
        for at, answer in zip(unclear, ask_all([lines[at] for at in unclear]) if unclear else []):
            answers[at] = answer
    excused, shown, counts = collections.Counter(), 0, collections.Counter()
    for line, (theirs, said), mine in zip(lines, answers, mora):
        refused = theirs.startswith("refused ")
        if theirs != real_mpirun.HANGS:
            counts["refused" if refused else "accepted"] += 1
        if real_mpirun.agree(theirs, mine):
            fact = refused and refusals.only_the_fact(theirs.removeprefix("refused ").split("; "))
            counts["fact" if fact else "reason" if refused else "placed"] += 1
            continue
        named = reason(line, theirs, said, mine)
        if named:
            excused[named] += 1
            continue
        counts["wrong"] += 1
        if shown < chosen.show:
            shown += 1
            print(f"{line}\n  mpirun: {theirs}\n  mora:   {mine}\n")
    print(f"{len(lines)} requests: {counts['accepted']} accepted by mpirun ({counts['placed']} placed alike), {counts['refused']} refused "
          f"({counts['reason']} for the same reason, {counts['fact']} refused by both without a readable word of mpirun), "
          f"{sum(excused.values())} excused, {counts['wrong']} disagreements")
    for named, times in excused.items():
        print(f"  excused {times} times: {named}")
    if chosen.record:
        with open(chosen.record, "w", encoding="ascii") as out:
            for line, (theirs, said), mine in zip(lines, answers, mora):
                if real_mpirun.agree(theirs, mine) or not reason(line, theirs, said, mine):
                    out.write(f"{line}\t=> {theirs}\n")
    failed = counts["wrong"] > 0
    for named, times in excused.items():
        if times > most_excused(len(lines)):
            print(f"failed: more than {most_excused(len(lines))} are excused: {named}")
            failed = True
    if 5 * counts["accepted"] < len(lines):
        print("failed: mpirun accepted fewer than 20 %")
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
