"""Asks the real mpirun of Open MPI where it would put the ranks, without starting anything.

`mpirun --do-not-launch --display-devel-map` prints the map: nodes in order, ranks in order, each with the part of the node it was mapped
to (locale) and bound to. Three things make it print everything (rule `mpirun-oracle`, docs/rules.md):
- the topology comes through HWLOC_XMLFILE (hwloc_base_topo_file leaves the bindings blank);
- `-novm` makes it compute bindings of ranks mapped and bound to the same kind of object on every node, not only on its own;
- its exit code says nothing: a request is accepted if a map is printed.
"""
import atexit
import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

import refusals

PATIENCE = 20.0  # seconds
HANGS = "hangs"
DATA_NODE = re.compile(r"^ Data for node: (\S+)\t")
DATA_PROC = re.compile(r"^ \tData for proc: \[\[\d+,\d+\],(\d+)\]")
SLOTS = re.compile(r"Num slots allocated: (\d+)\tMax slots: (\d+)")
POLICY = re.compile(r"Mapping policy: (\S+)  Ranking policy: (\S+)")
BINDING_POLICY = re.compile(r"Binding policy: (\S+)")


def slurm(granted):
    """The environment in which mpirun believes that SLURM granted 'n0 4 n1 2': its own, real, way of taking an allocation."""
    words = granted.split()
    names, slots = ",".join(words[::2]), ",".join(words[1::2])
    return {"SLURM_JOBID": "7", "SLURM_JOB_ID": "7", "SLURM_NODELIST": names, "SLURM_JOB_NODELIST": names, "SLURM_TASKS_PER_NODE": slots,
            "SLURM_NNODES": str(len(words) // 2), "SLURM_JOB_NUM_NODES": str(len(words) // 2)}


def environment(xml):
    keep = {key: value for key, value in os.environ.items() if not key.startswith(("OMPI_MCA_", "PMIX_", "HWLOC_", "SLURM_"))}
    keep.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", LC_ALL="C", RES_OPTIONS="timeout:1 attempts:1")
    if xml:
        keep.update(HWLOC_XMLFILE=xml, HWLOC_THISSYSTEM="1")
    return keep


def ranges(numbers):
    numbers = sorted(numbers)
    parts, at = [], 0
    while at < len(numbers):
        end = at
        while end + 1 < len(numbers) and numbers[end + 1] == numbers[end] + 1:
            end += 1
        parts.append(str(numbers[at]) if at == end else f"{numbers[at]}-{numbers[end]}")
        at = end + 1
    return ",".join(parts)


def hwthreads(picture):
    """'[BB/..][../..]' -> '0-1'; names of whole nodes '*', nothing '-'."""
    picture = picture.strip()
    if not picture.startswith("["):
        return {"NODE": "*", "UNBOUND": "-", "": "*", "UNKNOWN": "-", "N/A": "-"}.get(picture, picture)
    return ranges([index for index, mark in enumerate(c for c in picture if c in ".B") if mark == "B"])


CORE_THREADS = re.compile(r"socket \d+\[core (\d+)\[hwt ([0-9,-]+)\]\]")
MAP_PROC = re.compile(r"^ \tProcess OMPI .* Process rank: (\d+) Bound: (.*)$")


def bindings_by_rank(text, threads_per_core):
    """From --display-map: also where the topology has no packages, which the picture of --display-devel-map needs."""
    bindings = {}
    for line in text.splitlines():
        match = MAP_PROC.match(line)
        if not match:
            continue
        threads = set()
        for core, inside in CORE_THREADS.findall(match[2]):
            for part in inside.split(","):
                first, _, last = part.partition("-")
                threads.update(int(core) * threads_per_core + thread for thread in range(int(first), int(last or first) + 1))
        bindings[int(match[1])] = ranges(threads) if threads else "-" if "N/A" in match[2] else "*"
    return bindings


def shown_name(node):
    """mpirun calls this machine by its name, whatever the hostfile calls it."""
    return "localhost" if node == socket.gethostname() else node


def normalise(text):
    """None (refused), or (policies, [(node, slots, max_slots, [(rank, locale, binding)])])."""
    nodes, policies, binding_policy, rank, locale = [], None, "", None, "-"
    for line in text.splitlines():
        if match := POLICY.search(line):
            policies = (match[1], match[2])
        elif match := BINDING_POLICY.search(line):
            binding_policy = match[1]
        elif match := DATA_NODE.match(line):
            nodes.append([shown_name(match[1]), 0, 0, []])
        elif match := SLOTS.search(line):
            nodes[-1][1:3] = [int(match[1]), int(match[2])]
        elif match := DATA_PROC.match(line):
            rank = int(match[1])
        elif "Locale:" in line:
            locale = hwthreads(line.split("Locale:", 1)[1])
        elif "Binding:" in line:
            nodes[-1][3].append((rank, locale, hwthreads(line.split("Binding:", 1)[1])))
    return (policies + (binding_policy,), nodes) if policies else None


LAUNCH = ["--mca", "plm_rsh_agent", os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_here.sh"), "--mca", "plm_rsh_no_tree_spawn", "1"]


def printed_by(command, files, around, directory):
    """Everything that it prints, or HANGS. files: name -> text, written where `command` names them as {name}."""
    for name, text in files.items():
        with open(os.path.join(directory, name), "w", encoding="ascii") as out:
            out.write(text)
    command = [word.replace("{", directory + "/").replace("}", "") for word in command]
    # into a file: daemons of a launched job may outlive mpirun and would keep a pipe open
    with open(os.path.join(directory, "printed"), "w+b") as printed:
        with subprocess.Popen(command, env=around, cwd=directory, stdout=printed, stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return HANGS
        printed.seek(0)
        return printed.read().decode("ascii", "replace")


def run(words, files, xml, directory, novm, display="--display-devel-map", launch=False):
    """The answer and all that was printed."""
    around = environment(xml)
    if "GRANTED" in files:
        around.update(slurm(files["GRANTED"]))
        words = words + ["--mca", "plm", "rsh"]
    command = ["mpirun.openmpi"] + (LAUNCH if launch else ["--do-not-launch"]) + [display] + (["-novm"] if novm else []) + words + ["true"]
    text = printed_by(command, files, around, directory)
    return (None if text == HANGS else normalise(text)), text


def launched(words, files, xml, directory, pretend):
    """What a job prints that is really launched, each process telling what it is bound to."""
    around = environment(xml)
    around["LD_PRELOAD"] = pretend
    return printed_by(["mpirun.openmpi"] + LAUNCH + ["--display-map", "--report-bindings"] + words + ["true"], files, around, directory)


def answer_text(answer, said):
    """One line: who sits where, 'refused CLASS; CLASS' (refusals.py) or 'hangs'."""
    if answer is None:
        return said if said == HANGS else "refused " + "; ".join(refusals.of_mpirun(said))
    policies, nodes = answer
    mapping, ranking, binding = (policy.split(":")[0] for policy in policies)
    parts = [f"{mapping}/{ranking}/{binding}"]
    for name, slots, max_slots, ranks in nodes:
        parts.append(f"{name} {slots} {max_slots} " + " ".join(f"{r}:{l}:{b}" for r, l, b in ranks))
    return " | ".join(parts)


def agree(theirs, mine):
    """Word by word; '?' and UNKNOWN are what mpirun does not print."""
    if theirs.startswith("refused "):
        return refusals.agree(theirs.removeprefix("refused ").split("; "), mine)
    left, right = theirs.split(), mine.split()
    if len(left) != len(right):
        return False
    for one, other in zip(left, right):
        ours = other.split(":" if ":" in one else "/")
        said = one.split(":" if ":" in one else "/")
        if len(said) != len(ours) or any(s not in ("?", "UNKNOWN", o) for s, o in zip(said, ours)):
            return False
    return True


def leave_the_network():
    """Goes on in a network namespace of its own if that is allowed: invented names of nodes are not asked of name servers then."""
    if os.environ.get("MORA_ORACLE_ALONE"):
        return
    os.environ["MORA_ORACLE_ALONE"] = "1"
    if subprocess.run(["unshare", "-n", "ip", "link", "set", "lo", "up"], capture_output=True, check=False).returncode == 0:
        os.execvp("unshare", ["unshare", "-n", "sh", "-c", 'ip link set lo up; exec "$@"', "sh", sys.executable] + sys.argv)


def listed(words):
    """The map comes from a list: a rankfile, a sequential hostfile, --cpu-list."""
    cpus = any(word in ("--cpu-list", "--cpu-set") for word in words) and "ordered" not in " ".join(words)
    return cpus or any(word in ("--rankfile", "-rf", "seq") or word.startswith("seq:") for word in words)


def end_orphans():
    """Kills what launchers left: daemons and proxies of jobs that were refused or hung. Children that nobody has waited for keep their numbers."""
    while pids := [int(pid) for pid in open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii").read().split()]:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


class Oracle:
    def __init__(self):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans come to this process
        atexit.register(end_orphans)
        self.directory = tempfile.mkdtemp(prefix="map_oracle_")
        atexit.register(shutil.rmtree, self.directory, True)
        self.topologies = {}
        self.lock = threading.Lock()

    def xml(self, synthetic):
        if not synthetic or os.path.exists(synthetic):
            return os.path.abspath(synthetic) if synthetic else None
        if synthetic not in self.topologies:
            path = os.path.join(self.directory, f"topology{len(self.topologies)}.xml")
            subprocess.run(["lstopo-no-graphics", "--input", synthetic, "--of", "xml", path], check=True, capture_output=True)
            self.topologies[synthetic] = path
        return self.topologies[synthetic]

    def ask(self, words, files, synthetic, novm=True):
        if listed(words):
            # these maps are made at once with their bindings, and only for a job that is launched; daemons of all nodes run here
            answer, said = run(words, files, self.xml(synthetic), self.directory, False, launch=True)
            if answer:
                # a binding to all cpus of --cpu-list is printed as none; without cpus in the list each daemon binds for itself, unprinted
                unsaid = "*" if any("--cpu-" in word for word in words) else "-"
                for node in answer[1]:
                    node[3] = [(rank, "?", "?" if binding == unsaid else binding) for rank, _, binding in node[3]]
            return answer, said
        answer, said = run(words, files, self.xml(synthetic), self.directory, novm)
        if answer is None or not synthetic or os.path.exists(synthetic) or ("pack" in synthetic and "core" in synthetic):
            return answer, said
        bindings = {}
        if "core" in synthetic:
            threads = re.search(r"pu:(\d+)", synthetic)
            _, map_text = run(words, files, self.xml(synthetic), self.directory, novm, "--display-map")
            bindings = bindings_by_rank(map_text, int(threads[1]))
        for node in answer[1]:
            node[3] = [(rank, "?", bindings.get(rank, "?")) for rank, _, _ in node[3]]
        return answer, said
