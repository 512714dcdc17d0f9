/* The journals of the process: one, or one for each recorded thread. */
#ifndef MORA_MEASURE_RECORDER_JOURNALS_H
#define MORA_MEASURE_RECORDER_JOURNALS_H

#include "measure/call/threads.h"
#include "measure/recorder/recorder.h"

/* What the headers of all journals of the process say. */
struct mora_journal_facts {
  uint64_t run_tag;
  int rank, size;
  const char* library; /* first line of what MPI says of itself */
  struct mora_clock_triple at_init;
  void (*notify)(struct mora_journal*); /* mora_journal::notify */
};

/* Opens the journal of thread 0, which is the caller's. Returns 0 or errno, which then is in the .problem file.
 * `paths` must stay. */
int mora_journals_open(const struct mora_paths* paths, const struct mora_journal_facts* facts);

/* Opens the journal of another thread. 0: it cannot; the .problem file says why. */
int mora_journals_open_thread(struct mora_thread* thread);

/* At the end of the process: the journals of all other threads are closed, also if these still run. */
void mora_journals_finish_others(void);

/* In a forked child: the parent's files are left alone. */
void mora_journals_abandon(void);

#endif
