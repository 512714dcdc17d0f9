"""What Mora's opening sentence must say about each program of tests/planted.

Rank, function and loss come from the program's own line; here is what it cannot know: how many ranks, and the words for
its cause (any of them). `never`: words that make the sentence wrong, whatever else it says.
"""
import dataclasses

# the guilty rank does too much or comes too late
LATE = r"\b(?:late|later|slow|slower|longer|delay\w*|imbalance\w*|overload\w*|more (?:work|to do|than)|times the mean)\b"
SERIAL = r"\b(?:serial\w*|token|one after (?:the other|another)|in turn|one at a time|chain)\b"


@dataclasses.dataclass
class Expected:
    cause: str = LATE
    ranks: int = 4  # two where the problem is what calls cost: each needs a processor of its own then
    never: str = ""


EXPECTED = {
    # messages
    "iprobe_loop": Expected(),
    "late_receiver": Expected(LATE + "|late receiver"),
    "late_sender": Expected(),
    "many_to_one": Expected(r"contention|congest|one (?:receiver|after)|serial|receives? (?:only )?one|takes? one|all (?:at once|send)|late"),
    "middlemen": Expected(),
    "no_progress": Expected(r"progress|overlap|rendezvous|when (?:it|they) (?:is|are) completed|only in MPI_Wait", ranks=2),
    "probe_late": Expected(),
    "ring_token": Expected(SERIAL),
    "slow_master": Expected(),
    "slow_worker": Expected(),
    "small_messages": Expected(r"(?:small|tiny|short|too many|single) (?:messages|sends)|aggregat|bytes each|latency", never=LATE, ranks=2),
    "stencil_fortran": Expected(),
    "stencil_immediate": Expected(),
    "stencil_persistent": Expected(),
    "stencil_pipelined": Expected(),
    "test_loop": Expected(),
    "waitall_mixed": Expected(),
    "wrong_order": Expected(r"\border\b"),
    # servers
    "bcast_by_sends": Expected(r"transfer|volume|bandwidth|bound by communication|large|MiB|bytes"),
    "last_task": Expected(LATE + "|once"),
    "pairs_in_turn": Expected(SERIAL),
    "wait_in_order": Expected(r"\border\b"),
    "waitany_server": Expected(LATE + r"|one (?:message )?after"),
    # communicators
    "intercomm_late": Expected(ranks=6),
    "row_allreduce": Expected(ranks=6),
    # collectives
    "allgather_fortran": Expected(ranks=3),
    "allreduce_late": Expected(ranks=6),
    "alltoall_bound": Expected(r"transfer|volume|bandwidth|bound by communication|large|MiB|bytes", never=LATE, ranks=2),
    "alltoallv_late": Expected(ranks=3),
    "bcast_fortran": Expected(),
    "bcast_storm": Expected(r"(?:small|tiny|short|many) (?:collectives|broadcasts|calls)|calls (?:of|to) MPI_Bcast|bytes each|latency|combine|aggregat", never=LATE, ranks=2),
    "comm_split_loop": Expected(r"MPI_Comm_split|communicators?"),
    "gather_then_barrier": Expected(),
    "half_imbalance": Expected(),
    "iallreduce_late": Expected(),
    "iallreduce_no_progress": Expected(LATE + "|progress"),
    "late_bcast_root": Expected(),
    "neighbor_late": Expected(),
    "reduce_scatter_late": Expected(ranks=5),
    "reduce_then_barrier": Expected(),
    "scan_chain": Expected(),
    "slow_gather_root": Expected(),
    "unneeded_barriers": Expected(),
    # one-sided
    "cas_spin": Expected(LATE + r"|\block\w*|holds|held", ranks=3),
    "hot_lock": Expected(r"\block\w*|contention"),
    "late_complete": Expected(),
    "late_fence": Expected(),
    "late_post": Expected(),
    "late_unlock": Expected(LATE + r"|\block\w*|holds|held"),
    # files
    "late_open": Expected(),
    "late_write": Expected(),
    "one_mpi_writer": Expected(r"MPI_File_write_at|writ(?:es|ing)|output"),
    "one_writer": Expected(),
    "ordered_write": Expected(),
    "read_by_one": Expected(),
    "token_output": Expected(SERIAL),
    # work
    "alternating": Expected(r"alternat|in turn|chang\w+ (?:from|between)|other ranks? in|different ranks?|by turns"),
    "balanced": Expected(),
    "balanced_fortran": Expected(),
    "balanced_overlap": Expected(),
    "checkpoint": Expected(),
    "compensating": Expected(LATE + r"|cancel"),
    "growing": Expected(r"grow|increas|rises?|more (?:in|with) each"),
    "late_finalize": Expected(),
    "late_init": Expected(r"MPI_Init|start"),
    "moving": Expected(r"alternat|in turn|chang\w+ (?:from|between)|other ranks? in|different ranks?|by turns"),
    "outlier": Expected(r"(?:one|single|only) (?:iteration|step|time|of)|outlier|once|iteration \d|step \d"),
    "replicated": Expected(r"replicat|duplicat|repeat|same (?:work|computation)|every rank computes"),
    "serial_section": Expected(LATE + r"|\balone\b"),
    "shrinking": Expected(r"shrink|decreas|falls?|less (?:in|with) each"),
    "two_slow": Expected(),
}
