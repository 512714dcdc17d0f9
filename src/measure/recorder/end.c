/* Signals and _exit. A handler of ours stands before what was there when MPI_Init returned (MPI's own, the program's,
 * or none): it stores two words into the live chunk and passes the signal on. A program that sets its handlers later
 * has them alone. Signals that are ignored stay ignored. SIGKILL leaves no note, nor does an overflowing stack.
 *
 * Everything here is async-signal-safe; a forked child notes nothing. */
#define _GNU_SOURCE
#include "measure/recorder/end.h"

#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/call/sink.h"

static const int watched[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS,  SIGFPE, SIGUSR1,
                              SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ};
enum { n_watched = sizeof watched / sizeof *watched };
static struct sigaction before[n_watched];
static pid_t watched_pid;
static struct mora_journal* journal; /* of the thread that called MPI_Init: it tells of the process */
static void (*real_exit)(int);

/* Of several ends the first counts, but a signal that only asks to end (SIGTERM) gives way to what comes of it. */
static void note(enum mora_end how, int number) {
  if (!journal || getpid() != watched_pid) return;
  struct mora_state* state = journal->state;
  if (state->end != 0 && (uint32_t)(state->end >> 32) != SIGTERM) return;
  state->end_ticks = mora_ticks();
  state->end = mora_pair(how, number);
}

static void on_signal(int number, siginfo_t* info, void* context) {
  note(MORA_END_SIGNAL, number);
  int i = 0;
  while (watched[i] != number) i++;
  if (before[i].sa_flags & SA_SIGINFO) {
    before[i].sa_sigaction(number, info, context);
  } else if (before[i].sa_handler != SIG_DFL) {
    before[i].sa_handler(number);
  } else { /* as if we were not there: the fault happens again, or the signal comes again */
    sigaction(number, &before[i], NULL);
    if (info->si_code <= 0 || number == SIGABRT || info->si_code == SI_KERNEL) raise(number);
  }
}

void mora_watch_end(void) {
  watched_pid = getpid();
  journal = mora_self.journal;
  real_exit = (void (*)(int))dlsym(RTLD_NEXT, "_exit");
  for (int i = 0; i < n_watched; i++) {
    if (sigaction(watched[i], NULL, &before[i]) != 0 || before[i].sa_handler == SIG_IGN) continue;
    struct sigaction ours = before[i];
    ours.sa_sigaction = on_signal;
    ours.sa_flags = (before[i].sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
    sigaction(watched[i], &ours, NULL);
  }
}

/* MPI ends a process with it when an error handler is fatal (Open MPI). */
MORA_EXPORT __attribute__((noreturn)) void _exit(int status) {
  note(MORA_END_EXIT, status);
  if (real_exit) real_exit(status);
  for (;;) syscall(SYS_exit_group, status);
}
