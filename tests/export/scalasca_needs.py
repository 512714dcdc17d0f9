"""What Scalasca 2.6 asks of an archive; read with python3-otf2, which is not ours."""
import collections
import os

import otf2
from otf2.enums import GroupType, LocationGroupType, LocationType, Paradigm, RegionRole
from otf2.events import CallingContextSample, Enter, Leave, MpiCollectiveBegin, MpiCollectiveEnd, MpiIrecv, MpiIsend, MpiRecv, MpiSend, ProgramBegin

SENDS = (MpiSend, MpiIsend)
RECEIVES = (MpiRecv, MpiIrecv)


def mend_python_otf2():
    """python3-otf2 3.0 gives InterComm the fields of Comm first and then cannot read any inter-communicator."""
    kind = otf2.definitions.InterComm
    fields = {f.name: f for f in (*kind._fields, *otf2.definitions.Comm._fields)}  # Comm's parent may be any communicator
    kind._fields = tuple(fields[n] for n in ("name", "groupA", "groupB", "parent", "flags"))


mend_python_otf2()


class Ends:
    """Ends of messages and of collective operations: Scalasca repeats them all and waits for whoever is missing."""

    def __init__(self):
        self.sent = collections.Counter()
        self.received = collections.Counter()
        self.calls = collections.defaultdict(collections.Counter)

    def message(self, location, event):
        me = location.group
        comm = event.communicator
        rank = event.receiver if isinstance(event, SENDS) else event.sender
        peer = members(comm, location)[rank]
        if isinstance(event, SENDS):
            self.sent[comm.name, id(comm), me, peer, event.msg_tag] += 1
        else:
            self.received[comm.name, id(comm), peer, me, event.msg_tag] += 1

    def offences(self):
        found = []
        for channel in sorted({*self.sent, *self.received}, key=str):
            if self.sent[channel] != self.received[channel]:
                comm, _, source, target, tag = channel
                found.append(f"{self.sent[channel]} sends and {self.received[channel]} receives on {comm} from "
                             f"{source.name} to {target.name}, tag {tag}")
        for comm, calls in self.calls.items():
            numbers = [calls[process] for process in set(processes(comm))]
            if len(set(numbers)) > 1:
                found.append(f"collective calls on {comm.name}: {numbers}")
        return found


def processes(comm):
    """Of an intra-communicator: its members as location groups, by rank; of MPI_COMM_SELF nobody who waits."""
    if isinstance(comm, otf2.definitions.InterComm):
        return [*group(comm.groupA), *group(comm.groupB)]
    return group(comm.group)


def group(definition):
    return [member.group for member in definition.members] if definition.group_type == GroupType.COMM_GROUP else []


def members(comm, location):
    """Whose ranks peers on `comm` are, seen from `location`."""
    if isinstance(comm, otf2.definitions.InterComm):
        a, b = group(comm.groupA), group(comm.groupB)
        return b if location.group in a else a
    return group(comm.group) or collections.defaultdict(lambda: location.group)


def offences(anchor, has_init=False, is_whole=True, may_sample=True):
    """The sentences that say what is missing; empty if nothing is. `has_init`: the trace has an MPI_Init, too;
    not `is_whole`: the job was stopped, so that ends may lack their partners (`convert --plain` leaves them out).
    `may_sample`: it may have samples; Scalasca 2.5 takes their unwind distance, which is undefined, for a depth and crashes."""
    found = []
    ends = Ends()
    with otf2.reader.open(anchor) as archive:
        d = archive.definitions
        if archive.definitions.clock_properties.timer_resolution != 10 ** 9:
            found.append("clock")
        if [n.class_name for n in d.system_tree_nodes][0] != "machine" or not [
                n for n in d.system_tree_nodes if n.class_name == "node" and n.parent.class_name == "machine"]:
            found.append("tree")
        if any(g.location_group_type != LocationGroupType.PROCESS for g in d.location_groups):
            found.append("location group")
        found += [f"{l.name} is a {l.type}" for l in d.locations if l.type != LocationType.CPU_THREAD]
        kinds = {g.group_type for g in d.groups}
        found += [f"no {kind}" for kind in (GroupType.COMM_LOCATIONS, GroupType.COMM_GROUP) if kind not in kinds]
        if not list(d.comms):
            found.append("no communicator")
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
                has_init = has_init and not event.region.name.startswith("MPI_Init")
            elif isinstance(event, Leave):
                if not stack or stack.pop() != event.region:
                    found.append(f"leave of {event.region.name} on {location.name}")
            elif isinstance(event, CallingContextSample) and not may_sample:
                found.append("samples")
            elif isinstance(event, MpiCollectiveBegin):
                collective[location] += 1
            elif isinstance(event, MpiCollectiveEnd):
                collective[location] -= 1
                ends.calls[event.communicator][location.group] += 1
                if collective[location] < 0:
                    found.append("collective without begin")
                if event.collective_op.value > 16:
                    found.append(f"collective {event.collective_op}")
            elif isinstance(event, SENDS + RECEIVES):
                ends.message(location, event)
                if not (stack and stack[-1].name.startswith("MPI_")):
                    found.append(f"message outside of MPI at {event.time}")
        found += [f"{len(s)} regions open on {l.name}" for l, s in stacks.items() if s]
        found += [f"{n} collectives open" for n in collective.values() if n]
        if is_whole:
            found += ends.offences()
        if has_init:
            found.append("no MPI_Init")
    return found
