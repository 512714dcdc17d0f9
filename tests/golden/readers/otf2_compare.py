#!/usr/bin/python3
"""Reads OTF2 archives with Mora and with two independent readers, otf2-print and python3-otf2, and compares.

For every archive: the kinds of all records with their times (otf2-print), and regions, messages, transfers, counters and
files with their values (python3-otf2) must be what `mora print` shows. The archives are those of
tests/support/otf2/foreign_archive.h (--writer) and whatever is named on the command line.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

EXITS = {"EXIT", "MPICEXIT", "MPIWCEXIT", "MPIWEXIT", "OMPCEXIT"}
KINDS = {  # otf2-print's names; all others are USER
    "ENTER": "ENTER", "CALLING_CONTEXT_ENTER": "ENTER", "LEAVE": "EXIT", "CALLING_CONTEXT_LEAVE": "EXIT",
    "MPI_SEND": "SEND", "MPI_ISEND": "SEND", "MPI_RECV": "RECV", "MPI_IRECV": "RECV",
    "NON_BLOCKING_COLLECTIVE_REQUEST": "NBC_START", "NON_BLOCKING_COLLECTIVE_COMPLETE": "NBC_END",
    "RMA_PUT": "PUT_1TS", "RMA_GET": "GET_1TO", "RMA_REQUEST_LOCK": "WLOCK", "RMA_TRY_LOCK": "WLOCK",
    "RMA_RELEASE_LOCK": "WUNLOCK", "THREAD_FORK": "FORK", "OMP_FORK": "FORK", "THREAD_CREATE": "FORK",
    "THREAD_JOIN": "JOIN", "OMP_JOIN": "JOIN", "THREAD_WAIT": "JOIN", "THREAD_ACQUIRE_LOCK": "ALOCK",
    "OMP_ACQUIRE_LOCK": "ALOCK", "THREAD_RELEASE_LOCK": "RLOCK", "OMP_RELEASE_LOCK": "RLOCK",
    "IO_OPERATION_BEGIN": "IO_START", "IO_OPERATION_COMPLETE": "IO_END", "IO_OPERATION_CANCELLED": "IO_END",
    "PARAMETER_INT64": "METRIC", "PARAMETER_UINT64": "METRIC",
}
NOT_SHOWN = {  # they serve links and analyses, or another event stands for them
    "MPI_ISEND_COMPLETE", "MPI_IRECV_REQUEST", "MPI_REQUEST_CANCELLED", "MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END",
    "PROGRAM_BEGIN", "PROGRAM_END", "MEASUREMENT_ON_OFF", "BUFFER_FLUSH", "RMA_COLLECTIVE_BEGIN",
    "RMA_COLLECTIVE_END", "RMA_GROUP_SYNC", "RMA_WIN_CREATE", "RMA_WIN_DESTROY", "RMA_OP_COMPLETE_BLOCKING",
    "RMA_OP_COMPLETE_NON_BLOCKING", "RMA_OP_COMPLETE_REMOTE", "RMA_ACQUIRE_LOCK",
}
ENDS = {"PUT_1TE", "GET_1TS", "GET_1TE", "ATOMIC_1TE"}  # no records of their own


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def of_mora(mora, anchor):
    """-> [(time, type, attributes)], info."""
    info = json.loads(run([mora, "info", anchor, "--json"]))
    events = json.loads(run([mora, "print", anchor, "--json", "--rma-model", "basic"]))["events"]
    origin = round(float(info["clock_origin_s"]) * 10**9)
    return [(e["time_ns"] + origin, "EXIT" if e["type"] in EXITS else e["type"], e) for e in events], info


def of_otf2_print(anchor, resolution):
    """-> Counter of (time, type)."""
    found = collections.Counter()
    region = collections.defaultdict(list)
    for line in run(["otf2-print", anchor]).splitlines():
        match = re.match(r"([A-Z_0-9]+) +(\d+) +(\d+) *(.*)", line)
        if not match or match.group(1) in NOT_SHOWN:
            continue
        name, location, stamp, rest = match.groups()
        kind = KINDS.get(name, "USER")
        if name == "ENTER":
            region[location].append(rest)
        elif name == "LEAVE" and region[location]:
            region[location].pop()
        elif name == "RMA_ATOMIC":
            kind = "PUT_1TS" if re.search(r"Type: (ACCUMULATE|INCREMENT)", rest) else "ATOMIC_1TS"
        elif name == "RMA_SYNC" and region[location] and "MPI_Win_flush" in region[location][-1]:
            kind = "WFLUSH"
        count = 1
        if name == "METRIC":
            kind = "METRIC"
            count = int(re.search(r"(\d+) Values?:", rest).group(1))
        found[(int(stamp) * 10**9 // resolution, kind)] += count
    return found


def of_python_otf2(anchor):
    """-> Counter of what events say beside their kinds, resolution."""
    import otf2
    import otf2.events as ev
    found = collections.Counter()
    with otf2.reader.open(anchor) as trace:
        resolution = trace.timer_resolution
        for _, event in trace.events:
            if isinstance(event, (ev.Enter, ev.CallingContextEnter)):
                region = event.region if isinstance(event, ev.Enter) else event.calling_context.region
                found[("ENTER", region.name)] += 1
            elif isinstance(event, (ev.MpiSend, ev.MpiIsend)):
                found[("SEND", event.msg_tag, event.msg_length)] += 1
            elif isinstance(event, (ev.MpiRecv, ev.MpiIrecv)):
                found[("RECV", event.msg_tag, event.msg_length)] += 1
            elif isinstance(event, ev.RmaPut):
                found[("PUT_1TS", event.matching_id, event.bytes)] += 1
            elif isinstance(event, ev.RmaAtomic) and event.type in (otf2.RmaAtomicType.ACCUMULATE, otf2.RmaAtomicType.INCREMENT):
                found[("PUT_1TS", event.matching_id, event.bytes_sent)] += 1
            elif isinstance(event, ev.RmaAtomic):
                found[("ATOMIC_1TS", event.matching_id, event.bytes_sent)] += 1
            elif isinstance(event, ev.RmaGet):
                found[("GET_1TS", event.matching_id, event.bytes)] += 1
            elif isinstance(event, ev.Metric):
                for member, value in zip(event.metric.members, event.values):
                    found[("METRIC", member.name, float(value))] += 1
            elif isinstance(event, (ev.ParameterInt, ev.ParameterUnsignedInt)):
                found[("METRIC", event.parameter.name, float(event.value))] += 1
            elif isinstance(event, (ev.ThreadAcquireLock, ev.OmpAcquireLock)):
                found[("ALOCK", event.lock_id)] += 1
            elif isinstance(event, ev.IoOperationComplete):
                found[("IO_END", event.matching_id, event.bytes_result)] += 1
    return found, resolution


def values(events):
    found = collections.Counter()
    for _, kind, e in events:
        if kind == "ENTER":
            found[(kind, e["region"])] += 1
        elif kind in ("SEND", "RECV"):
            found[(kind, e["tag"], e["bytes"])] += 1
        elif kind in ("PUT_1TS", "GET_1TS", "ATOMIC_1TS"):
            found[(kind, e["rmaid"], e["sent"])] += 1
        elif kind == "METRIC":
            found[(kind, e["metric"], float(e["value"]))] += 1
        elif kind == "ALOCK":
            found[(kind, e["lockid"])] += 1
        elif kind == "IO_END" and e["bytes"] != 0:  # 0: cancelled
            found[(kind, e["id"], e["bytes"])] += 1
    return found


def compare(mora, anchor):
    problems = []
    events, info = of_mora(mora, anchor)
    try:
        theirs, resolution = of_python_otf2(anchor)
    except Exception as error:  # EZTrace's doubled definitions stop it
        theirs, resolution = None, 10**9
        print(f"{anchor}: python3-otf2 cannot read it: {error}")
    printed = of_otf2_print(anchor, resolution)
    mine = collections.Counter((time, kind) for time, kind, _ in events if kind not in ENDS)
    for what, a, b in (("otf2-print", mine, printed), ("python3-otf2", values(events), theirs)):
        if b is None:
            continue
        if sum(b.values()) == 0:
            problems.append(f"{what} saw nothing")
        for key in sorted(set(a) | set(b), key=str):
            if a[key] != b[key]:
                problems.append(f"{key}: mora {a[key]}, {what} {b[key]}")
    print(f"{anchor}: {len(events)} events, {sum(printed.values())} by otf2-print, {sum((theirs or {}).values())} values by python3-otf2"
          f", data quality {[row['kind'] for row in info['data_quality']]}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mora", required=True)
    parser.add_argument("--writer", help="write_foreign_archives")
    parser.add_argument("archives", nargs="*", help="anchor files")
    options = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory(prefix="mora-otf2-") as directory:
        archives = list(options.archives)
        if options.writer:
            run([options.writer, directory])
            archives += [os.path.join(directory, name, "traces.otf2") for name in ("score_p", "openmp", "eztrace")]
        for anchor in archives:
            problems += [f"{anchor}: {problem}" for problem in compare(options.mora, anchor)]
    print("\n".join(problems) if problems else "all alike")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
