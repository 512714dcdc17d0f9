"""Requests that mpirun accepts in all likelihood: the nodes have what is asked for, and no option contradicts another."""


def objects(topology):
    """What ranks can be mapped to on nodes of this topology."""
    named = [("core", "core"), ("pack", "socket"), ("l1:", "l1cache"), ("l2:", "l2cache"), ("l3:", "l3cache")]
    return ["slot", "node", "hwthread", "numa"] + [word for mark, word in named if mark in topology]


def hosts(chance):
    """Words, files, and the slots of all nodes (0: unknown)."""
    names = [f"n{index}" for index in range(chance.choice([1, 2, 2, 3, 3, 4, 6]))]
    if chance.random() < 0.1:
        names[chance.randrange(len(names))] = "localhost"
    counts = [chance.choice([1, 2, 2, 3, 4, 4, 5, 6, 8]) for _ in names]
    kind = chance.random()
    if kind < 0.12 and "localhost" not in names:
        return [], {"GRANTED": " ".join(f"{name} {count}" for name, count in zip(names, counts))}, sum(counts)
    if kind < 0.24:
        return [chance.choice(["--host", "-H"]), ",".join(f"{name}:{count}" for name, count in zip(names, counts))], {}, sum(counts)
    lines, known = [], True
    for name, count in zip(names, counts):
        silent = chance.random() < 0.15
        known = known and not silent
        most = f" max-slots={count + chance.choice([0, 1, 2, 4])}" if not silent and chance.random() < 0.12 else ""
        lines.append(name + ("" if silent else f" slots={count}") + most + "\n")
    words, files = [chance.choice(["--hostfile", "--hostfile", "-machinefile", "--default-hostfile"]), "H"], {"H": "".join(lines)}
    if chance.random() < 0.15 and known:
        some = sorted(chance.sample(range(len(names)), chance.randrange(1, len(names) + 1)))
        part = [min(counts[index], chance.choice([1, 2, 3, 8])) for index in some]
        words += ["--host", ",".join(f"{names[index]}:{count}" for index, count in zip(some, part))]
        return words, files, sum(part)
    return words, files, sum(counts) if known else 0


def request(chance, topology):
    words, files, slots = hosts(chance)
    kinds = objects(topology)
    count, several, shape = None, False, chance.random()
    if shape < 0.2:
        words += chance.choice([["--map-by", f"ppr:{chance.choice([1, 1, 2])}:{chance.choice(['node', *kinds[3:]])}"], ["-npernode", "1"], ["-pernode"], ["-N", "1"]])
        count = 1 if chance.random() < 0.2 else None
        words += ["--oversubscribe"] if chance.random() < 0.6 else []
    else:
        if chance.random() < 0.8:
            modifiers = [word for word, likely in (("span", 0.3), ("pe=2", 0.1 if "core" in topology else 0), ("oversubscribe", 0.2)) if chance.random() < likely]
            several = "pe=2" in modifiers
            chance.shuffle(modifiers)
            by = chance.choice([kind for kind in kinds if not several or kind not in ("hwthread", "core", "l1cache", "l2cache")])
            words += ["--map-by", by + (":" if modifiers else "") + ",".join(modifiers)]
        most = slots or 2
        count = chance.choice([None, most, most, max(1, most - 1), chance.randrange(1, most + 1), chance.randrange(1, most + 1)])
        if several:
            count = min(count or most, 2)
        if chance.random() < 0.2 and "oversubscribe" not in "".join(words):
            words += ["--oversubscribe"]
            count = most + chance.choice([0, 1, 2, 5])
    if count is not None:
        words += [chance.choice(["-np", "-n"]), str(count)]
    if chance.random() < 0.3:
        words += ["--rank-by", chance.choice(["slot", "slot", "node", *kinds]) + chance.choice(["", "", ":span", ":fill"])]
    if several:
        words += chance.choice([[], ["--bind-to", "core:overload-allowed"]])
    elif chance.random() < 0.7:
        kind = chance.choice(["none", *kinds[2:]])
        words += ["--bind-to", kind + ("" if kind == "none" else chance.choice([":overload-allowed", ":overload-allowed", ""]))]
    if chance.random() < 0.08:
        words.append("--use-hwthread-cpus")
    return topology, words, files
