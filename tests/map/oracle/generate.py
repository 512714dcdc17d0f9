"""Makes random requests to mpirun, a line each, as answer.cpp reads them. The same seed makes the same requests.

About half of them are `wild`: options are thrown together, and mpirun refuses two of three. The others (`sensible.py`) ask for what the nodes can
give in all likelihood, since who sits where is only told by what is accepted.
"""
import random

import sensible

TOPOLOGIES = [
    "pack:2 core:4 pu:2",
    "pack:2 core:3 pu:1",
    "pack:1 core:4 pu:1",
    "pack:2 numa:2 l3:1 l2:2 core:2 pu:1",
    "pack:1 l3:2 l2:2 l1:1 core:1 pu:2",
    "numa:4 core:2 pu:1",
    "numa:2 pack:2 l3:1 core:2 pu:2",
    "core:4 pu:2",
    "pack:2 pu:4",
    "pack:4 l3:1 l2:1 l1:1 core:1 pu:1",
    "pack:2 [numa] [numa] l2:3 core:1 pu:4",
    "pu:6",
    "pack:2 l3:2 numa:1 l2:1 l1:2 core:1 pu:2",
]
OBJECTS = ["slot", "node", "core", "hwthread", "socket", "numa", "l1cache", "l2cache", "l3cache"]
BINDINGS = ["none", "core", "hwthread", "socket", "numa", "l1cache", "l2cache", "l3cache", "board"]


def hostfile(chance):
    names = [f"n{index}" for index in range(chance.choice([1, 2, 2, 3, 3, 4, 6]))]
    if chance.random() < 0.15:
        names.insert(chance.randrange(len(names) + 1), "localhost")
    kind = chance.random()
    lines = []
    for name in names:
        line = name
        if kind < 0.7 or chance.random() < 0.5:
            slots = chance.choice([1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 0 if chance.random() < 0.2 else 7])
            line += f" slots={slots}"
            if chance.random() < 0.15:
                line += chance.choice([" max-slots=", " max_slots=", " slots_max="]) + str(max(slots + chance.choice([-1, 0, 1, 2, 4]), 0))
        elif chance.random() < 0.15:
            line += f" max-slots={chance.choice([1, 2, 3, 5])}"
        if chance.random() < 0.05:
            line += chance.choice([" # comment", " word", " username=joe", " cpu=2", " bad=3"])
        lines.append(line)
    if chance.random() < 0.12:
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(names))
    if chance.random() < 0.05:
        lines.insert(0, chance.choice(["# hosts", "", "// hosts"]))
    slots = sum(int(line.split("slots=")[1].split()[0]) if "slots=" in line else 2 for line in lines if line)
    return "".join(line + "\n" for line in lines), names, slots


def host_option(chance, names):
    words = []
    for _ in range(chance.choice([1, 2, 3])):
        name = chance.choice(names + ["x", "localhost", "n1.site"] if chance.random() < 0.15 else names)
        word = name + chance.choice(["", "", ":1", ":2", ":3", ":4", ":*", ":auto", ":0"])
        if chance.random() < 0.1:
            word = chance.choice(["+n0", "+n1", "+n2", "+e", "+e:1", "+e:2"])
        words.append(word)
    return ",".join(words)


def mapping(chance):
    if chance.random() < 0.25:
        count = chance.choice([1, 1, 2, 2, 3, 4])
        text = f"ppr:{count}:" + chance.choice(["node", "node", "socket", "core", "hwthread", "numa", "l2cache", "l3cache", "skt", "l1cache"])
    else:
        text = chance.choice(OBJECTS)
        if chance.random() < 0.03:
            text = chance.choice(["board", "c", "s", "so", "h", "l", "package", "NODE", "", "dist"])
    modifiers = []
    for word, likely in (("span", 0.3), ("pe=", 0.2), ("oversubscribe", 0.15), ("nooversubscribe", 0.07), ("over", 0.02), ("odd", 0.02)):
        if chance.random() < likely:
            modifiers.append(word + str(chance.choice([1, 2, 2, 3, 4])) if word == "pe=" else word)
    chance.shuffle(modifiers)
    return text + (":" + ",".join(modifiers) if modifiers else "")


def cpu_list(chance):
    return chance.choice(["0", "1", "2-3", "0,2", "0:0", "1:0-1", "1:*", "0:0,1:1", "0:0;1:0", "S1", "s0,1", "S*", "1:c1", "*", "9", "4:0"]
                         if chance.random() < 0.9 else ["0:0-1:2", "x", "1-2-3"])


def listed_request(chance):
    """By a rankfile or a sequential hostfile."""
    topology = chance.choice(TOPOLOGIES[:5])  # with packages and cores: others print no bindings
    names = [f"n{index}" for index in range(chance.choice([1, 2, 3]))]
    words, files, lines = [], {}, []
    count = chance.choice([1, 2, 3, 4, 5])
    if chance.random() < 0.6:
        for rank in range(count):
            line = f"rank {rank}={chance.choice(names)} slot={cpu_list(chance)}"
            if chance.random() < 0.04:
                line = chance.choice([f"rank {rank}={names[0]}", f"rank {rank} n0 slot=1", f"rank {rank}=localhost slots=0", "# nothing", f"rank {rank}=+n0 slot=0"])
            lines.append(line)
        if chance.random() < 0.05:
            chance.shuffle(lines)
        files["R"] = "".join(line + "\n" for line in lines)
        words += [chance.choice(["--rankfile", "-rf"]), "R"]
        if chance.random() < 0.15:
            words += ["--host", ",".join(f"{name}:3" for name in names)]
    else:
        for _ in range(count):
            lines.append(chance.choice(names) + (" " + cpu_list(chance) if chance.random() < 0.3 else ""))
        files["H"] = "".join(line + "\n" for line in lines)
        words += ["--hostfile", "H", "--map-by", chance.choice(["seq", "seq", "seq:oversubscribe"])]
    if chance.random() < 0.6:
        words += ["-np", str(chance.choice([1, count, count, count, count + 1]))]
    for word, likely in (("--oversubscribe", 0.2), ("--use-hwthread-cpus", 0.15), ("--nolocal", 0.03)):
        if chance.random() < likely:
            words.append(word)
    return topology, words, files


def request(chance):
    kind = chance.random()
    if kind < 0.1:
        return listed_request(chance)
    return wild_request(chance) if kind < 0.5 else sensible.request(chance, chance.choice(TOPOLOGIES))


def wild_request(chance):
    topology = chance.choice(TOPOLOGIES)
    words, files = [], {}
    text, names, slots = hostfile(chance)
    if chance.random() < 0.93:
        files["H"] = text
        words += [chance.choice(["--hostfile", "--hostfile", "-machinefile", "--default-hostfile"]), "H"]
    if chance.random() < 0.2:
        words += [chance.choice(["--host", "-H", "-host"]), host_option(chance, names)]
    if chance.random() < 0.1 and "localhost" not in text:
        counts = [chance.choice([1, 2, 3, 4, 4, 6]) for _ in names]
        files["GRANTED"] = " ".join(f"{name} {count}" for name, count in zip(names, counts))
        slots = sum(counts)
        if "H" in files and chance.random() < 0.7:
            del files["H"]
            words = [word for word in words if word not in ("H", "--hostfile", "-machinefile", "--default-hostfile")]
    if chance.random() < 0.88:
        np = max(0, slots + chance.choice([-8, -6, -5, -4, -3, -2, -1, -1, 0, 0, 0, 1, 3, 6]))
        words += [chance.choice(["-np", "-np", "-n", "-c"]), str(np if chance.random() < 0.8 else chance.randrange(1, 12))]
    if chance.random() < 0.04:
        topology = "device.xml"
        words += ["--map-by", "dist" + chance.choice(["", ":span", ":span,oversubscribe", ":oversubscribe"]), "--mca", "rmaps_dist_device",
                  chance.choice(["eth0", "mlx4_0", "eth7"])]
    elif chance.random() < 0.75:
        words += ["--map-by", mapping(chance)]
    if chance.random() < 0.35:
        words += ["--rank-by", chance.choice(OBJECTS) + chance.choice(["", "", ":span", ":fill"])]
    if chance.random() < 0.4:
        words += ["--bind-to", chance.choice(BINDINGS) + chance.choice(["", "", "", ":overload-allowed", ":if-supported"])]
    for word, likely in ((["--oversubscribe"], 0.2), (["--nooversubscribe"], 0.05), (["--nolocal"], 0.04), (["--use-hwthread-cpus"], 0.08),
                         (["-bynode"], 0.03), (["--byslot"], 0.02), (["-bycore"], 0.02), (["-pernode"], 0.03),
                         (["-npernode", str(chance.choice([1, 2, 3]))], 0.06), (["-N", str(chance.choice([1, 2]))], 0.03),
                         (["-npersocket", str(chance.choice([1, 2]))], 0.04), (["--cpus-per-proc", "2"], 0.02), (["--bind-to-core"], 0.02),
                         (["--bind-to-socket"], 0.02), (["--ppr", "2:node"], 0.01), (["--report-bindings"], 0.02),
                         (["--mca", "rmaps_base_oversubscribe", "1"], 0.01), (["--wdir", "/tmp"], 0.01), (["--mca", "btl", "self"], 0.01)):
        if chance.random() < likely:
            words += word
    return topology, words, files


def line_of(topology, words, files):
    fields = [topology, " ".join(word or "''" for word in words)]
    fields += [name + "=" + text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t") for name, text in files.items()]
    return "\t".join(fields)


def parse(line):
    topology, words, *files = line.rstrip("\n").split("\t")
    plain = {}
    for field in files:
        name, text = field.split("=", 1)
        plain[name] = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
    return topology, ["" if word == "''" else word for word in words.split()], plain


def requests(seed, count):
    chance = random.Random(seed)
    return [line_of(*request(chance)) for _ in range(count)]
