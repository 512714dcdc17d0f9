/* What the processes of one dry run share: anonymous memory that is mapped before the first fork. Offsets, not
 * addresses, name things in it, though every process has it at the same place. All changes are atomic operations; there
 * is no lock, as a process may be killed at any instant. */
#ifndef MORA_MEASURE_STANDIN_CORE_SHARED_H
#define MORA_MEASURE_STANDIN_CORE_SHARED_H

#include <stddef.h>
#include <stdint.h>

/* The state of one process, which it writes while it runs; the server reads it for time limits and for the report. */
struct standin_progress {
  int32_t rank;
  int32_t auxiliary;
  uint32_t function;    /* last MPI function called (enum mora_function); 0 none */
  uint32_t inside;      /* 1: in it now */
  uint64_t calls;       /* to functions of the stand-in, so far */
  uint32_t waiting;     /* for other ranks' contributions, or suspended: does not count against its time limit */
  uint64_t goal;        /* of an auxiliary process: the key that it is to publish */
  uint32_t may_suspend; /* of an auxiliary process: it may wait at its goal for the next one, else it ends there */
  uint32_t suspended;   /* futex: 1 at its goal, until the server gives it another */
  uint32_t finalized;
  uint32_t aborted; /* MPI_Abort: `text` says with what */
  uint32_t stopped; /* standin_stop: `text` says why */
  char text[240];
  /* of a dry run of all ranks together (exchange.h); valid while `waiting` */
  uint32_t seen;     /* the events that it had seen when it began to wait */
  int32_t waits_for; /* world rank; -1: not one rank alone */
  uint32_t answered; /* after `stuck`: `text` says what it waits for */
  uint32_t threads;  /* 1: several threads may call MPI: that one waits does not mean that the process does */
};

enum standin_need_kind {
  STANDIN_NEED_ARGUMENTS, /* what ranks give to a call that makes something: without it the process cannot go on */
  STANDIN_NEED_ROOT_DATA, /* of one rank, which then runs to its end; data are unknown without it (root_data.h) */
  STANDIN_NEED_MESSAGE    /* the same of a message (rank0_messages.h) */
};

/* A process needs what some ranks contribute to one call, and waits for it. */
struct standin_need {
  uint64_t key;
  uint32_t function;
  uint32_t n;
  uint32_t done;   /* set by the waiting process */
  uint32_t failed; /* set by the server: `why` says what became of a rank */
  uint32_t kind;   /* enum standin_need_kind */
  char why[400];
  int32_t ranks[];
};

struct standin_note_line {
  uint64_t text; /* address of a literal: the same in all processes, which are forks of one */
  uint64_t count;
};

enum { STANDIN_NOTES = 256 };

struct standin_shared {
  uint32_t events; /* futex: changes whenever something was contributed or failed */
  uint32_t stuck;  /* 1: all ranks of a run together wait for each other, and are asked for what */
  uint64_t used;   /* bytes of the region */
  struct standin_note_line notes[STANDIN_NOTES];
};

extern struct standin_shared* standin_shared;
extern struct standin_progress* standin_progress; /* of this process */

/* Maps the region. 0: no memory. */
int standin_shared_map(void);
/* Zeroed memory in the region, 8-aligned; NULL when it is full. */
void* standin_shared_alloc(size_t bytes);
/* Waits until *word is no longer 1. */
void standin_suspend(uint32_t* word);
/* Sets *word to 0 and wakes the process that waits in standin_suspend. */
void standin_resume(uint32_t* word);
/* Changes `events` and wakes all processes that wait in standin_shared_wait. */
void standin_shared_wake(void);
/* Waits until `events` differs from `seen`, at most 200 ms. */
void standin_shared_wait(uint32_t seen);

#endif
