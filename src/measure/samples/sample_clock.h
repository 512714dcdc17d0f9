/* What tells a thread, by a signal, that it has used some more processor time (sample_clock.c). */
#ifndef MORA_MEASURE_SAMPLES_SAMPLE_CLOCK_H
#define MORA_MEASURE_SAMPLES_SAMPLE_CLOCK_H

#include <time.h>
#include <ucontext.h>

#include "journal/format.h"

/* Of one thread. Begins as zeros. */
struct mora_sample_clock {
  int is_on; /* it has a timer, an event, or both; others than the thread read and write it atomically */
  pid_t thread;
  timer_t timer;
  int has_timer;
  void* event; /* the page by which the kernel's event is kept; NULL: there is none */
  int event_file;
  uint64_t event_identity;  /* 0: the file is not kept, or the program has closed it */
  uint64_t event_period_ns; /* in force; without its file it stays */
  /* The thread's own. */
  uint64_t event_due_ns; /* its processor time after which the event's signal is late */
  uint64_t chance;
};

/* What the clocks need of who uses them. The first two are called by a signal's handler. */
struct mora_sample_clock_hooks {
  struct mora_sample_clock* (*own)(void);                    /* the calling thread's; NULL: it has none */
  void (*sample)(const ucontext_t*);                         /* some more time was used, and the thread is here */
  void (*of_all)(void (*change)(struct mora_sample_clock*)); /* the program wants a signal: change all clocks */
};

/* Takes signals, once, which come `rate` times in a second of a thread's processor time. Returns what is lacking. */
enum mora_no_samples mora_sample_clock_choose(unsigned long rate, const struct mora_sample_clock_hooks* hooks);

/* That of the calling thread. `is_crowded`: there are more threads than processors. Returns what is lacking. */
enum mora_no_samples mora_sample_clock_start(struct mora_sample_clock* clock, int is_crowded);
/* There are more threads than processors now. Also another thread's, like stop; not by two threads at once. */
void mora_sample_clock_sharpen(struct mora_sample_clock* clock);
void mora_sample_clock_stop(struct mora_sample_clock* clock);
/* In a forked child, of the parent's. */
void mora_sample_clock_forget(struct mora_sample_clock* clock);

#endif
