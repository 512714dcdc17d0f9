"""Why a request is refused, as mpirun says it and as Mora says it, in the same classes.

mpirun may print several messages; the classes of all are taken, without deprecation notices and warnings. Mora names one. Both refuse for the same
reason if Mora's class is among mpirun's. `UNSAID` are the classes where mpirun says nothing that a user could read; only the fact of refusal, and
that Mora names one of the reasons in which this happens, is compared then (README.md).
"""
import re

# what mpirun prints -> class
MPIRUN = [
    ("There are not enough slots available", "too few slots"),
    ("All nodes which are allocated for this job are already filled", "nodes are filled"),
    ("multiple definitions of the slot count", "slots given twice"),
    ("The max_slots parameter is less than the slots", "max-slots below slots"),
    ("detected a parse error in the hostfile", "hostfile syntax"),
    ("There are no available nodes allocated to this job", "nodes are filled"),
    ("No nodes are available for this job", "nodes are filled"),
    ("requested hosts are not included in the current allocation", "unknown host"),
    ("requested hosts is not included in the current allocation", "unknown host"),
    ("claimed that a host was either not allocated or oversubscribed", "unknown host"),
    ("that is not in your allocation", "unknown host"),
    ("There are no allocated resources for the application", "unknown host"),
    ("the index given is beyond the number of hosts", "relative host not found"),
    ("requested number of empty hosts was not available", "relative host not found"),
    ("A relative host was improperly specified", "wrong relative host"),
    ("A relative host was specified, but no prior allocation", "relative host without allocation"),
    ("A relative host was specified, but was not found", "relative host not found"),
    ("more processes than cpus on a resource", "binding overload"),
    ("we found no available cpus on the following node", "no cpus to bind to"),
    ("No objects of the specified type were found", "no such objects"),
    ("a conflicting binding policy was specified", "several cpus and another binding"),
    ("Conflicting directives for", "conflicting policies"),
    ("a directive was also given to map to an object level that", "several cpus of too small objects"),
    ("unrecognized modifier", "unknown modifier"),
    ("mapping policy is not recognized", "unknown policy"),
    ("ranking policy is not recognized", "unknown policy"),
    ("binding policy is not recognized", "unknown policy"),
    ("more processes than the ppr for this topology", "too many ranks for the pattern"),
    ("A rank is missing its location specification", "missing rank"),
    ("get help about: no-slot-list", "no slot list"),
    ("invalid syntax in the rankfile", "rankfile syntax"),
    ("is already assigned to", "rank given twice"),
    ("not enough node entries were given", "too few entries"),
    ("Your job failed to map", "failed map"),
    ("device to map near by was not specified", "no device"),
]
# ORTE_ERROR_LOG: a line of a source file and no word for the user
LOGGED = [
    (r"ORTE_ERROR_LOG: \S.* in file \S*rmaps_base_ranking\.c", "unsaid: ranking"),
    (r"ORTE_ERROR_LOG: \S.* in file \S*rmaps_(rank_file|seq)\.c", "unsaid: cpus of a list"),
    (r"Process received signal|malloc\(\)|free\(\)|corrupted", "crash"),
]
# "KIND: WHAT" of Mora -> class, the first that fits
MORA = [
    (r"not enough slots:", "too few slots"),
    (r"max slots:", "too few slots"),
    (r"no hosts: .*no node is left", "nodes are filled"),
    (r"no hosts: .*there is no node \+", "relative host not found"),
    (r"no hosts: .*there is no node", "unknown host"),
    (r".*the slots of \S+ are given twice", "slots given twice"),
    (r".*max-slots is less than slots", "max-slots below slots"),
    (r"expected slots=N", "hostfile syntax"),
    (r"expected the name of a node: '\+", "relative host without allocation"),
    (r"expected the name of a node", "hostfile syntax"),
    (r"expected rank N=NODE", "rankfile syntax"),
    (r"binding overload:", "binding overload"),
    (r"no cpus:", "no cpus to bind to"),
    (r"no objects: .* to rank by", "unsaid: ranking"),
    (r"ranks left over:", "unsaid: ranking"),
    (r"no objects:", "no such objects"),
    (r"conflicting policies: .* are bound to cpus, not to", "several cpus and another binding"),
    (r"conflicting policies:", "conflicting policies"),
    (r"mapping too low:", "several cpus of too small objects"),
    (r"unknown modifier:", "unknown modifier"),
    (r"unknown policy:", "unknown policy"),
    (r"too many ranks for the pattern:", "too many ranks for the pattern"),
    (r"missing rank:", "missing rank"),
    (r"missing cpus:", "no slot list"),
    (r"rank given twice:", "rank given twice"),
    (r"too few entries:", "too few entries"),
    (r"no device:", "no device"),
    (r"failed map:", "failed map"),
    (r"mpirun crashes:", "crash"),
    (r"wrong host:", "wrong relative host"),
    (r"no such cpu:", "unsaid: cpus of a list"),
    (r"wrong cpu list:", "unsaid: cpus of a list"),
]
# what mpirun leaves unsaid -> the reasons of Mora with which that happens
UNSAID = {
    "silent": {"unsaid: cpus of a list"},
    "crash": {"unsaid: cpus of a list"},
    "unsaid: ranking": {"failed map"},  # whether ranks were left over by the mapper or by the ranking
    "notice only": {"conflicting policies"},  # --ppr beside another mapping policy: the notice that --ppr is deprecated, and no more
}


def of_mpirun(said):
    """The classes of everything it printed."""
    text = " ".join(said.split())
    classes = [name for phrase, name in MPIRUN if phrase in text]
    classes += [name for pattern, name in LOGGED if re.search(pattern, text)]
    if not classes and "have been deprecated and replaced" in text:
        classes = ["notice only"]
    if not classes:
        classes = ["unknown message" if any(line.strip() and "setpgid" not in line for line in said.splitlines()) else "silent"]
    return tuple(dict.fromkeys(classes))


def of_mora(answer):
    for pattern, name in MORA:
        if re.match(pattern, answer.removeprefix("refused ")):
            return name
    return "unknown message"


def agree(theirs, answer):
    """`theirs`: classes of mpirun. Mora's answer is a refusal for one of them."""
    mine = of_mora(answer)
    return answer.startswith("refused ") and mine != "unknown message" and (mine in theirs or any(mine in UNSAID.get(name, ()) for name in theirs))


def only_the_fact(theirs):
    """Nothing readable was said."""
    return all(name in UNSAID or name.startswith("unsaid") for name in theirs)
