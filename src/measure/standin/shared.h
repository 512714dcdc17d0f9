/* What the processes of one dry run share: anonymous memory that is mapped before the first fork. Offsets, not
 * addresses, name things in it, though every process has it at the same place. Nothing in it is locked: a process may
 * be killed at any instant. */
#ifndef MORA_MEASURE_STANDIN_SHARED_H
#define MORA_MEASURE_STANDIN_SHARED_H

#include <stddef.h>
#include <stdint.h>

/* What a process tells of itself while it runs: the watchdog's and the report's source. */
struct standin_progress {
  int32_t rank;
  int32_t scout;
  uint32_t function; /* last MPI function called (enum mora_function); 0 none */
  uint32_t inside;   /* 1: in it now */
  uint64_t calls;    /* to functions of the stand-in, so far */
  uint32_t waiting;  /* for other ranks' contributions, or parked: not its own time */
  uint64_t goal;     /* of a scout: the key that it is to publish */
  uint32_t stay;     /* of a scout: it may park at its goal, else it ends there */
  uint32_t parked;   /* futex: 1 at its goal, until the server gives it another */
  uint32_t finalized;
  uint32_t aborted; /* MPI_Abort: `text` says with what */
  uint32_t stopped; /* standin_stop: `text` says why */
  char text[240];
};

/* A process waits for what some ranks contribute to one call. */
struct standin_wish {
  uint64_t key;
  uint32_t function;
  uint32_t n;
  uint32_t done;   /* set by the waiting process */
  uint32_t failed; /* set by the server: `why` says what became of a rank */
  uint32_t herald; /* of one rank, that goes on after it, and not vital: 1 what a root gives (herald.h), 2 a message
                      (tidings.h) */
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
  uint64_t used;   /* bytes of the region */
  struct standin_note_line notes[STANDIN_NOTES];
};

extern struct standin_shared* standin_shared;
extern struct standin_progress* standin_progress; /* of this process */

/* Maps the region. 0: no memory. */
int standin_shared_map(void);
/* Zeroed memory in the region, 8-aligned; NULL when it is full. */
void* standin_shared_alloc(size_t bytes);
/* Waits until *word is no longer 1; sets it to 0 and wakes who waits. */
void standin_park(uint32_t* word);
void standin_unpark(uint32_t* word);
/* Wakes whoever waits in standin_shared_wait. */
void standin_shared_wake(void);
/* Until `events` differs from `seen`, or 200 ms. */
void standin_shared_wait(uint32_t seen);

#endif
