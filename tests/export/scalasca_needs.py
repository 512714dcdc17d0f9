"""What Scalasca 2.6 asks of an archive; read with python3-otf2, which is not ours."""
import collections
import os

import otf2
from otf2.enums import GroupType, LocationGroupType, Paradigm, RegionRole
from otf2.events import Enter, Leave, MpiCollectiveBegin, MpiCollectiveEnd, MpiIrecv, MpiIsend, MpiRecv, MpiSend, ProgramBegin

MESSAGES = (MpiSend, MpiRecv, MpiIsend, MpiIrecv)


def mend_python_otf2():
    """python3-otf2 3.0 gives InterComm the fields of Comm first and then cannot read any inter-communicator."""
    kind = otf2.definitions.InterComm
    fields = {f.name: f for f in (*kind._fields, *otf2.definitions.Comm._fields)}  # Comm's parent may be any communicator
    kind._fields = tuple(fields[n] for n in ("name", "groupA", "groupB", "parent", "flags"))


mend_python_otf2()


def offences(anchor):
    """The sentences that say what is missing; empty if nothing is."""
    found = []
    with otf2.reader.open(anchor) as archive:
        d = archive.definitions
        if archive.definitions.clock_properties.timer_resolution != 10 ** 9:
            found.append("clock")
        if [n.class_name for n in d.system_tree_nodes][0] != "machine" or not [
                n for n in d.system_tree_nodes if n.class_name == "node" and n.parent.class_name == "machine"]:
            found.append("tree")
        if any(g.location_group_type != LocationGroupType.PROCESS for g in d.location_groups):
            found.append("location group")
        kinds = {g.group_type for g in d.groups}
        if GroupType.COMM_LOCATIONS not in kinds:
            found.append("COMM_LOCATIONS")
        for r in d.regions:
            if r.name.startswith("MPI_") and r.paradigm == Paradigm.MPI and r.source_file != "MPI":
                found.append(f"file of {r.name} is {r.source_file}")
        programs = {(r.name, r.canonical_name) for r in d.regions
                    if r.region_role == RegionRole.ARTIFICIAL and r.paradigm == Paradigm.MEASUREMENT_SYSTEM}
        stacks = collections.defaultdict(list)
        collective = collections.Counter()
        for location, event in archive.events:
            stack = stacks[location]
            if isinstance(event, ProgramBegin):
                words = [event.program_name, *event.program_arguments]
                if (os.path.basename(event.program_name), " ".join(words)) not in programs:
                    found.append(f"no region for the program {words}")
            elif isinstance(event, Enter):
                stack.append(event.region)
            elif isinstance(event, Leave):
                if not stack or stack.pop() != event.region:
                    found.append(f"leave of {event.region.name} on {location.name}")
            elif isinstance(event, MpiCollectiveBegin):
                collective[location] += 1
            elif isinstance(event, MpiCollectiveEnd):
                collective[location] -= 1
                if collective[location] < 0:
                    found.append("collective without begin")
                if event.collective_op.value > 16:
                    found.append(f"collective {event.collective_op}")
            elif isinstance(event, MESSAGES) and not (stack and stack[-1].name.startswith("MPI_")):
                found.append(f"message outside of MPI at {event.time}")
        found += [f"{len(s)} regions open on {l.name}" for l, s in stacks.items() if s]
        found += [f"{n} collectives open" for n in collective.values() if n]
    return found
