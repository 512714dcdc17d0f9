/* The journal's bytes (docs/formats/journal.md is the prose of this header).
 *
 * One journal per process, or per recorded thread. A file is: one mora_file_header, then chunk images. A chunk image is
 * one mora_chunk_header and `used` bytes of records. The chunk being filled (the live chunk) stands in shared memory
 * (or a preallocated file) named in the file header; mora_file_header + chunks + live chunk = everything recorded, also
 * after SIGKILL.
 *
 * A record is a sequence of 64-bit words in host byte order: mora_record (4 words) and a payload that
 * its shape fixes. Word 0 is stored last with release semantics: a record is valid iff its generation
 * equals its chunk's generation. A recycled chunk holds stale records of older generations, which end
 * the scan. Generations start at 1 and skip 0.
 */
#ifndef MORA_JOURNAL_FORMAT_H
#define MORA_JOURNAL_FORMAT_H

#include <stdint.h>

#define MORA_JOURNAL_MAGIC "MORAJRN1"
#define MORA_JOURNAL_VERSION 1

enum mora_clock_kind {
  MORA_CLOCK_TSC = 1,
  MORA_CLOCK_MONOTONIC = 2,
  MORA_CLOCK_NONE = 3 /* pattern mode; the triples are monotonic */
};

/* Three readings of "now": ticks of the recording clock, CLOCK_MONOTONIC_RAW ns, CLOCK_REALTIME ns. */
struct mora_clock_triple {
  uint64_t ticks;
  uint64_t monotonic_ns;
  uint64_t realtime_ns;
};

struct mora_file_header {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes; /* offset of the first chunk image */
  uint32_t chunk_bytes;  /* size of the live chunk */
  uint32_t world_rank;
  uint32_t world_size;
  uint32_t pid;
  uint64_t run_tag;               /* equal in all processes of one MPI_COMM_WORLD */
  uint64_t clock_id;              /* equal iff two processes read the same clock (host boot id hashed) */
  uint32_t clock_kind;            /* enum mora_clock_kind */
  uint32_t mpi_flavour;           /* 1 Open MPI, 2 MPICH */
  struct mora_clock_triple start; /* taken at MPI_Init enter */
  char live_chunk[128];           /* path of the live chunk */
  char host[64];
  char program[256];
  char mpi_library[128]; /* first line of MPI_Get_library_version */
};

struct mora_chunk_header {
  char magic[8];         /* "MORACHNK" */
  uint32_t generation;   /* low 16 bits are what records carry */
  uint32_t is_last;      /* of an image: nothing follows, also if it is not closed by END; the live chunk was removed */
  uint64_t used;         /* bytes of records; in the live chunk: 0 until it is closed, scan it */
  uint64_t first_record; /* number of records in all earlier chunks */
  struct mora_clock_triple opened;
};

/* What the process is doing now: the last bytes of the live chunk. Each word is stored by itself, `call` last. */
struct mora_state {
  uint64_t call;      /* function:16, enum mora_state_of its partner << 16; 0: in no MPI call that is recorded */
  uint64_t begin;     /* ticks at Enter */
  uint64_t site;      /* as in a record */
  uint64_t object;    /* pair(communicator or window id + 1, 0 unknown; number of requests waited for) */
  uint64_t source;    /* pair(source, tag) of a receive or probe; the request's number if it is one */
  uint64_t target;    /* pair(dest, tag) of a send; pair(root or target, 1 of an exclusive lock) */
  uint64_t end;       /* pair(enum mora_end, signal or exit status): how the process was seen to end */
  uint64_t end_ticks; /* when */
};

enum mora_state_of {
  MORA_STATE_SOURCE = 1,   /* source is a peer and a tag */
  MORA_STATE_DEST = 2,     /* target is a peer and a tag */
  MORA_STATE_ROOT = 4,     /* target is a root, or the target of a one-sided operation */
  MORA_STATE_WINDOW = 16,  /* object is a window, not a communicator */
  MORA_STATE_GROUP = 32,   /* source is the number of the group of MPI_Win_start */
  MORA_STATE_REQUESTS = 8, /* of so many requests; source is the number of one alone, 0 unknown */
};

/* Instead of an errno: what the process's journals may take is used up (mora record --budget). */
enum { MORA_LOST_BUDGET = -1 };
#define MORA_BYTES_UNKNOWN UINT64_MAX

enum mora_end {
  MORA_END_SIGNAL = 1, /* a signal that can be caught arrived */
  MORA_END_EXIT = 2    /* _exit(status): how MPI ends a process when it refuses a call */
};

struct mora_record {
  uint64_t word0;  /* generation:16 | words:16 | function:16 | shape:8 | flags:8, low bits last (see macros) */
  uint64_t begin;  /* ticks at Enter */
  uint64_t site;   /* bits 0-47 return address of the call, or MORA_SITE_STACK | number of its stack; bits 48-63
                      duration bits 32-47 */
  uint64_t object; /* bits 0-31 communicator / window id, bits 32-63 duration bits 0-31 (ticks) */
};

#define MORA_WORD0(generation, words, function, shape, flags)                       \
  (((uint64_t)(uint16_t)(generation) << 48) | ((uint64_t)(uint16_t)(words) << 32) | \
   ((uint64_t)(uint16_t)(function) << 16) | ((uint64_t)(uint8_t)(shape) << 8) | (uint64_t)(uint8_t)(flags))

/* Bit of a site: no address (they have 47 bits) but the number of a call stack, DEFINE_STACK. */
#define MORA_SITE_STACK (UINT64_C(1) << 47)

/* Special values of peers and tags; MPI's own values differ between libraries. */
enum mora_peer { MORA_PEER_NONE = -1 /* MPI_PROC_NULL or no message */, MORA_PEER_ANY = -2, MORA_TAG_ANY = -1 };

/* Payload words after mora_record. "pair(a,b)" = a in bits 0-31, b in bits 32-63 (int32 two's complement).
 * Peers and roots are ranks of the record's communicator (of the remote group for inter-communicators).
 * A FAILED record has the same payload; a peer in it is MORA_PEER_NONE unless a message did move. */
enum mora_shape {
  MORA_SHAPE_CALL = 1,       /* - : enter and leave only */
  MORA_SHAPE_SEND = 2,       /* pair(dest, tag), bytes */
  MORA_SHAPE_RECV = 3,       /* pair(source, tag), bytes [, message request: a matched probe's]: from the status */
  MORA_SHAPE_ISEND = 4,      /* pair(dest, tag), bytes, request */
  MORA_SHAPE_IRECV = 5,      /* pair(source or ANY, tag or ANY), capacity bytes, request: a posted receive; also
                                a successful MPI_Mprobe/Improbe (source, tag, bytes from its status) */
  MORA_SHAPE_SENDRECV = 6,   /* pair(dest, tag), bytes, pair(source, tag), bytes; dest/source -1 = no message */
  MORA_SHAPE_COMPLETE = 7,   /* n x mora_completion: Wait*, Test* ; also blocking calls that complete others */
  MORA_SHAPE_START = 8,      /* n x mora_completion: MPI_Start(all): persistent operations begun; of a collective (kind
                                OTHER) bytes is the number that its MPI_…_init gave */
  MORA_SHAPE_COLLECTIVE = 9, /* pair(root, 0), bytes sent, bytes received [, request: non-blocking]; root -1 = no
                                root; inter-communicator roots: own side MPI_ROOT = -3, idle side MPI_PROC_NULL = -2.
                                MPI_Barrier_init and the like: request is the number of the persistent operation */
  MORA_SHAPE_VECTOR = 10,    /* belongs to the preceding COLLECTIVE: pair(direction 0 sent 1 received, count),
                                count x bytes per peer; long vectors continue in further VECTOR records. Of
                                neighbourhood collectives direction 2 destinations, 3 sources, and count = 2 per
                                neighbour: rank, bytes; neighbours that are MPI_PROC_NULL are left out */
  MORA_SHAPE_RMA = 11,       /* pair(target, rmaid), bytes at origin, bytes at target, target displacement as given,
                                first byte accessed behind it (int64), number of bytes from there to the last in
                                bits 0-55 and mpi::Reduction of an accumulate in bits 56-63 (0 not recorded)
                                [, request: MPI_Rput, …] */
  MORA_SHAPE_WIN_COLLECTIVE = 12, /* pair(assert, 0): create, allocate, free, fence */
  MORA_SHAPE_WIN_GROUP = 13,      /* pair(group, assert): post, start, complete, wait, test; flag EPOCH_CLOSED */
  MORA_SHAPE_WIN_LOCK = 14,       /* pair(target, lock type 0 shared 1 exclusive), assert: lock and unlock (type as
                                     locked); MPI_Win_lock_all and unlock_all: target -1 */
  MORA_SHAPE_WIN_FLUSH = 15,      /* pair(target, 0): MPI_Win_flush and flush_local; the _all forms: target -1 */
  MORA_SHAPE_IO = 16,             /* object = file; bytes asked for, bytes done, request: a number of its own; what
                                     MPI_File_iread … and …_begin started is COMPLETEd later */
  MORA_SHAPE_POLLS = 17, /* calls that found nothing, in a row from one place with little between them (hooks/poll.c):
                            how many, ticks between them, in begin and duration */
  /* calls of another library than MPI (function >= MORA_FIRST_LIBRARY_FUNCTION) that are more than enter and leave;
   * processes by their ranks in MPI_COMM_WORLD, which are OpenSHMEM's numbers of PEs */
  MORA_SHAPE_SHMEM_TRANSFER = 18,   /* pair(PE, number of the transfer), bytes written there, bytes read there */
  MORA_SHAPE_SHMEM_COLLECTIVE = 19, /* pair(first PE, log2 of the stride), pair(PEs, root among them or -1), bytes
                                       sent, bytes received (MORA_BYTES_UNKNOWN: what all of them
                                       give, which each knows of itself) */
  MORA_SHAPE_SHMEM_LOCK = 20,       /* number of the lock, the same in all processes; flag UNSUCCESSFUL: not taken */
  MORA_SHAPE_THREAD_LOCK = 21, /* address of the mutex, enum mora_lock_step added up; written when the call is over */
  /* records that are no MPI call: function = 0 */
  MORA_SHAPE_DEFINE_COMM = 32,  /* object = new id; pair(parent id, ordinal on parent), pair(kind, n local),
                                   pair(n remote, key), then n local + n remote world ranks, two per word.
                                   kind: enum mora_comm_kind; key: tag or leader tag for the kinds that need one */
  MORA_SHAPE_FREE_COMM = 33,    /* object = id */
  MORA_SHAPE_DEFINE_GROUP = 34, /* object = id; pair(n, 0), then n world ranks in group order, two per word */
  MORA_SHAPE_DEFINE_WIN = 35,   /* object = id; pair(comm id, ordinal of creation on that communicator), function that
                                   made it, own displacement unit [, address and bytes of the own memory; dynamic windows:
                                   0, all] */
  MORA_SHAPE_CLOCK = 36,        /* ticks, monotonic ns, realtime ns */
  MORA_SHAPE_CLOCK_OFFSET =
      37, /* local ticks, offset ns to rank 0's clock (int64), round trip ns, pair(phase 0 init 1 finalize, samples) */
  MORA_SHAPE_OVERHEAD = 38,  /* begin and duration are the recorder's own time; pair(enum mora_overhead, 0) */
  MORA_SHAPE_LOST = 39,      /* pair(errno or MORA_LOST_BUDGET, 0), count: calls that could not be stored; only END may
                                follow; begin = ticks when recording ended */
  MORA_SHAPE_RECORDING = 40, /* pair(on, 0): MPI_Pcontrol switched recording */
  MORA_SHAPE_NAME = 41,      /* object = id; pair(what: 0 comm 1 win 2 file, n bytes), bytes padded to words */
  MORA_SHAPE_END = 42,  /* process is ending normally; begin = ticks at exit; flag UNSUCCESSFUL: without MPI_Finalize */
  MORA_SHAPE_NOTE = 43, /* pair(enum mora_note, 0), value: something the data-quality table must say */
  MORA_SHAPE_DEFINE_FILE = 44, /* object = id; pair(comm id, 0); its NAME follows */
  MORA_SHAPE_DEFINE_MARK = 45, /* object = number; pair(enum mora_mark_kind of mora/mora.h, line), pair(bytes of the
                                  file, bytes of the name), file and name, each padded to words */
  MORA_SHAPE_MARK_BEGIN = 46,  /* object = number of the mark; pair(argument, 0): id of an interval, number of
                                  processes of a replicated section */
  MORA_SHAPE_MARK_END = 47,    /* as MARK_BEGIN; the mark is the end's own */
  /* Pattern mode only (MORA_PATTERN=1, clock kind NONE): no clock is read, duration is 0, order is all. Instead of
   * begin stands the number of the DATA that belongs to the call, 0 if there is none. A DATA record with a number gives
   * it its content until the end; the reader (journal_reader.h) gives that content out as a DATA record before each
   * call that names it, and begin as 0. */
  MORA_SHAPE_DEFINE_TYPE = 48, /* object = id, from 1; size, extent (int64), pair(code of Kotomatas 2018, Table 3.2; bit
                                  0 contiguous | bit 1 predefined), pair(bytes of the name, 0), name padded to words */
  /* What DATA says of the call whose record comes next out of the reader. function = the call's (0 where the number is
   * defined); object = number of the thread, 0 made MPI_Init. pair(type sent or at origin, type received or at target;
   * 0 none), count sent (int64; -1 not significant), count received (likewise) [, one word more: receives and probes:
   * pair(source, tag) as posted (MPI_PROC_NULL -1, ANY -2, any tag -1); MPI_Comm_split and split_type: pair(colour or
   * type of split, INT32_MIN undefined; key); MPI_Intercomm_merge: pair(high, 0); MPI_Mrecv and Imrecv: number of the
   * matched message]. Vector arguments have count -1 (their bytes are in VECTOR), calls without a common type (…w) also
   * type 0. A call with one count and type for both directions (Bcast, Reduce, Scan, Sendrecv_replace, files, …) has
   * them on both sides. MPI_Start and Startall: one DATA for each element of the START record that follows, in its
   * order. Calls that move nothing and ask for nothing have no DATA, unless another thread than 0 makes them: types 0,
   * counts -1. */
  MORA_SHAPE_DATA = 49,
  MORA_SHAPE_STATE =
      51, /* struct mora_state as payload: the process ended by itself in an MPI call, or after a signal */
  MORA_SHAPE_CORE = 53,  /* of the thread since it began: CPU time, time in the run queue, of the CPU time that in the
                            kernel, ns; page faults, voluntary and involuntary context switches */
  MORA_SHAPE_ERROR = 52, /* pair(error class in the library's numbers, function): of the next record of that function */
  MORA_SHAPE_DEFINE_STACK =
      54, /* object = n; pair(inner, count), then count return addresses outwards: frames n, n + 1, …, each the caller
             of the one before; the first one's is frame `inner`, 0: it made the call. The number of a stack is that of
             its outermost frame, whose address may be an enum mora_stack_end */
  MORA_SHAPE_PROCESSORS = 55, /* pair(processors of the node that are online, thousandths of a processor that control
                                 groups allow; 0 no limit), then the processors that the thread may use, a bit each */
  MORA_SHAPE_USAGE = 56, /* of the process since it began (getrusage): user ns, system ns, page faults without and with
                            input, context switches voluntary and not, largest resident set in bytes; how long limits of
                            its control groups stopped these, ns; kHz of its processor now, 0 unknown [, bytes
                            read and written by calls, without the journals; read from and written to storage:
                            /proc/self/io] */
  MORA_SHAPE_FUNCTION_BEGIN = 57, /* - : a function of the program (-finstrument-functions); site = its address */
  MORA_SHAPE_FUNCTION_END = 58,
  MORA_SHAPE_DEFINE_PATH = 60, /* object = n, from 1; pair(count, 0), then count return addresses, innermost first: of
                                  the functions around a SAMPLE. The last may be an enum mora_stack_end */
  MORA_SHAPE_SAMPLE = 61, /* the thread computed: site = address of the instruction, object = its path (0 not known);
                             pair(for how many samples it stands, 0) */
  MORA_SHAPE_TEAM = 62, /* site of a FORK, else 0; pair(enum mora_team_step, threads asked for by a FORK), number of the
                           team: that of its maker's thread << 40 | counted from 1 */
  MORA_SHAPE_SYNC = 63, /* pair(enum mora_sync, enum mora_sync_step), address of the lock or 0; ACQUIRED has the
                           duration of the wait. END of a barrier: 1: the LOOP or SECTIONS around it end with it */
  MORA_SHAPE_PROFILE = 59,         /* function and site: what their calls add up to, struct mora_amounts (profile.h) */
  MORA_SHAPE_FOLDED = 64,          /* nothing: what stood here was added to a PROFILE record, or the place is free */
  MORA_SHAPE_DEFINE_FUNCTION = 65, /* object = a number of a function that is none of MPI's; pair(enum mora_library,
                                      bytes of the name), name padded to words. Once in a process, before its first call
                                      is made; the journal of any of its threads may have it */
  MORA_SHAPE_DEFINE_PLACE = 66,    /* object = n, from 1: a place in a function of Python; pair(line, first line of the
                                      function; 0 not known), pair(bytes of the file, bytes of the name), pair(last line,
                                      0), file and name, each padded to words */
  MORA_SHAPE_DEFINE_COUNTER = 67,  /* object = its number, from 0; pair(enum mora_counter_how, errno or 0), pair(1: the
                                      kernel is not counted though that was asked for, bytes of the name), name padded to
                                      words: of the thread whose journal it is */
  MORA_SHAPE_COUNTERS = 68, /* object = n counters; what each has counted of the thread, at begin [, and again at the
                               end of the call that began at that time, whose record follows] */
  MORA_SHAPE_RING = 69, /* at the head of each chunk of a ring: what stood before it, n x mora_ring_entry (ring.h). The
                           reader gives no such record out */
  MORA_SHAPE_DEFINE_GRID = 70, /* object = communicator that has a Cartesian topology; dimensions, then for each of them
                                  pair(extent, 1 periodic) and pair(coordinate of this process, 0) */
  MORA_SHAPE_REPEAT =
      50 /* two words, no mora_record: word 0 with function = place, then counter | serial << 32: the record that was
            written with this place and serial (bits 48-63 of its word 2: place + 1, duration bits 0-31: serial, begin
            bits 32-63: counter) again; numbers of requests in it (request_words.h), but 0, are larger by what the
            counter (mora's newest number, 32 bits) has grown since. The reader gives out the whole record */
};

/* Functions of other libraries than MPI have numbers from here on, as the process's recorder gives them. */
enum { MORA_FIRST_LIBRARY_FUNCTION = 0x8000, MORA_LAST_LIBRARY_FUNCTION = 0xFEFF };

enum mora_library { MORA_LIBRARY_SHMEM = 1, MORA_LIBRARY_PTHREAD = 2, MORA_LIBRARY_DEVICE = 3 };

/* What a call of POSIX threads does to a mutex: gives it up at its begin, takes it at its end. Of what a thread only
 * passes (semaphores, barriers): it was waited for until the end. */
enum mora_lock_step { MORA_LOCK_TAKEN = 1, MORA_LOCK_GIVEN_UP = 2, MORA_LOCK_PASSED = 4 };

/* OpenMP's parallel regions: a thread makes a team, each of its threads (the maker, too) begins and ends a part. */
enum mora_team_step { MORA_TEAM_FORK = 1, MORA_TEAM_BEGIN = 2, MORA_TEAM_END = 3, MORA_TEAM_JOIN = 4 };

/* What threads of a team wait for, and what else they are in. */
enum mora_sync {
  MORA_SYNC_BARRIER = 1,          /* also that behind a loop of fixed parts */
  MORA_SYNC_IMPLICIT_BARRIER = 2, /* at the end of a loop or of sections whose parts are given out */
  MORA_SYNC_TASKWAIT = 3,
  MORA_SYNC_CRITICAL = 4,
  MORA_SYNC_ORDERED = 5,
  MORA_SYNC_LOCK = 6,      /* omp_set_lock, omp_unset_lock */
  MORA_SYNC_TASK = 7,      /* a task is executed; site: where it was made, the address alone */
  MORA_SYNC_TASKLOOP = 8,  /* its tasks are made and waited for */
  MORA_SYNC_LOOP = 9,      /* from here on: work that is shared out; its END has no site */
  MORA_SYNC_SECTIONS = 10, /* at most 15: src/experiment/code/regions.h */
  MORA_SYNC_SINGLE = 11,
  MORA_SYNC_MASTER = 12
};
enum mora_sync_step {
  MORA_SYNC_BEGIN = 1, /* of a wait in which the thread may do other work */
  MORA_SYNC_END = 2,
  MORA_SYNC_ACQUIRED = 3,
  MORA_SYNC_RELEASED = 4
};

enum mora_flag {
  MORA_FLAG_CONTINUED = 1,     /* the next record continues this one's list (COMPLETE, START, VECTOR, DEFINE_*) */
  MORA_FLAG_FAILED = 2,        /* MPI returned an error code */
  MORA_FLAG_EPOCH_CLOSED = 4,  /* synex: complete, wait, successful test */
  MORA_FLAG_NO_PEER = 8,       /* MPI_PROC_NULL: no message took place */
  MORA_FLAG_UNSUCCESSFUL = 16, /* Test/Iprobe returned flag = 0 */
  MORA_FLAG_FORTRAN = 32,
  MORA_FLAG_IN_PLACE = 64,
  MORA_FLAG_OPEN = 128 /* written at entry of a call that may not return (MPI_Abort, MPI_Finalize); duration 0 */
};

/* The assert argument of window calls; MPI's own bits differ between libraries. Unknown bits are dropped. The same
 * numbers stand in archives and trace texts (docs/formats/otf2.md, "Assertions"). */
enum mora_assert {
  MORA_ASSERT_NOCHECK = 1,
  MORA_ASSERT_NOSTORE = 2,
  MORA_ASSERT_NOPUT = 4,
  MORA_ASSERT_NOPRECEDE = 8,
  MORA_ASSERT_NOSUCCEED = 16
};

enum mora_comm_kind {
  MORA_COMM_WORLD = 0,
  MORA_COMM_SELF = 1,
  MORA_COMM_COLLECTIVE = 2, /* made by a collective call on the parent: identity (parent, ordinal, members) */
  MORA_COMM_GROUP = 3,      /* MPI_Comm_create_group: identity (parent, members, tag, ordinal among equals) */
  MORA_COMM_INTER = 4,      /* inter-communicator: local then remote members */
  MORA_COMM_DYNAMIC = 5,    /* has members outside MPI_COMM_WORLD (spawn, connect): ranks outside are -1 */
  MORA_COMM_UNSEEN = 6      /* found in use, its creation was not recorded (made by another thread): members only,
                               parent 0xffffffff */
};

/* Why a stack is known no further outwards. Stored in place of an address (none is that small). */
enum mora_stack_end {
  MORA_STACK_COMPLETE = 0,    /* the outermost frame says so itself; never stored */
  MORA_STACK_TOO_DEEP = 1,    /* more frames than --stack allows */
  MORA_STACK_NO_TABLE = 2,    /* no unwind table covers the address: generated code, hand-written assembly */
  MORA_STACK_NO_RULE = 3,     /* a rule of a kind that is not understood */
  MORA_STACK_SIGNAL = 4,      /* the frame of a signal handler's caller */
  MORA_STACK_FOREIGN = 5,     /* not on the thread's own stack: coroutine, alternate signal stack */
  MORA_STACK_INCONSISTENT = 6 /* the table does not fit what is on the stack */
};

/* In place of an address: the number of a DEFINE_PLACE. Such frames are the outermost of a stack: functions of Python,
 * which stand for those of the interpreter among the addresses. */
#define MORA_STACK_PYTHON (UINT64_C(1) << 63)

struct mora_completion {
  uint64_t request;  /* number given by ISEND, IRECV, START; 0 = its start was not seen */
  uint64_t peer_tag; /* pair(source, tag) from the status for receives; pair(dest, tag) for sends */
  uint64_t bytes;
  uint64_t comm_kind; /* pair(communicator id, enum mora_completion_kind) */
};

enum mora_completion_kind {
  MORA_COMPLETED_SEND = 0,
  MORA_COMPLETED_RECV = 1,
  MORA_CANCELLED = 2,
  MORA_COMPLETED_OTHER = 3,
  MORA_FREED = 4 /* MPI_Request_free on an active request */
};

enum mora_overhead {
  MORA_OVERHEAD_WRITE = 1,   /* a full chunk was appended to the file */
  MORA_OVERHEAD_INIT = 2,    /* after PMPI_Init: run tag, clocks, files */
  MORA_OVERHEAD_FINALIZE = 3 /* before PMPI_Finalize: clock offsets */
};

enum mora_no_samples {
  MORA_NO_UNWINDER = 1,   /* another processor or C library */
  MORA_NO_SIGNAL = 2,     /* the program handles all signals that may be taken */
  MORA_NO_TIMER_LEFT = 3, /* timer_create: EAGAIN */
  MORA_NO_TIMER = 4,      /* timer_create failed otherwise */
  MORA_NO_MEMORY = 5      /* for the samples */
};

enum mora_note {
  MORA_NOTE_REQUEST_UNKNOWN = 1, /* a completed request was started by a call that was not seen */
  MORA_NOTE_SPAWNED = 2,         /* this process was spawned: not recorded */
  MORA_NOTE_NO_FULL_EVENTS = 3,  /* a data-moving call was recorded as enter/leave only; value = function */
  MORA_NOTE_THREADS = 4, /* calls of other threads than the one that initialised, not recorded: MPI lets no others call
                            it; value = count */
  MORA_NOTE_FORKED = 5,
  MORA_NOTE_MARKS_OUTSIDE = 6,         /* marks before MPI_Init or after MPI_Finalize, not recorded; value = count */
  MORA_NOTE_MARKS_OF_THREADS = 7,      /* … of other threads than the one that initialised */
  MORA_NOTE_MARKS_IN_CALLS = 8,        /* … inside MPI calls (in callbacks) */
  MORA_NOTE_STACKS = 9,                /* calls with a call site and no stack, as there were too many different ones */
  MORA_NOTE_NO_STACKS = 10,            /* stacks were asked for and cannot be walked here */
  MORA_NOTE_FUNCTIONS_OF_THREADS = 11, /* begins of functions in other threads, not recorded; value = count */
  MORA_NOTE_STACKS_CHECKED = 12,       /* stacks that were compared with another unwinder's (MORA_STACK_CHECK) */
  MORA_NOTE_STACKS_DIFFERENT = 13,     /* of these: not equal */
  MORA_NOTE_NO_SAMPLES = 20,           /* samples were asked for and cannot be taken; value = enum mora_no_samples */
  MORA_NOTE_SAMPLES_GIVEN_UP = 21,     /* sampling ended as the program uses its signal */
  MORA_NOTE_SAMPLE_PATHS = 22, /* samples without the functions around them, as there were too many different ones */
  MORA_NOTE_PROFILE_FULL = 23, /* a profile that has calls without their call sites, as there were too many of them */
  MORA_NOTE_NO_PYTHON = 24,    /* a Python interpreter whose functions cannot be told */
  MORA_NOTE_COUNTERS_SCALED = 25, /* counters had to share the processor's registers */
  MORA_NOTE_NO_CORE = 26, /* CORE records of this thread are missing from this time on; value = errno. 0: they go on */
  MORA_NOTE_COUNTERS_LOST = 27,  /* the program closed the counters' files, which were opened again: what was counted
                                    since the last COUNTERS record of the thread is missing */
  MORA_NOTE_THREADS_REFUSED = 28 /* as THREADS, of threads that MPI lets call and that could not have a journal */
};

#endif
