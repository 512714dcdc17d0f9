/* What a program may notice of sampling: system calls that end with EINTR, a changed errno, a signal or timer of its
 * own that no longer comes. It notices none of it: all lines are the same with and without. Much of the time is spent
 * in the kernel, where most samples come. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* How often of so many times the call ends with EINTR. */
#define COUNT(name, times, call)                       \
  do {                                                 \
    int interrupted = 0;                               \
    for (int i = 0; i < (times); i++)                  \
      if ((call) < 0 && errno == EINTR) interrupted++; \
    printf("%s: %d\n", name, interrupted);             \
  } while (0)

static int connect_once(const struct sockaddr_in* address) {
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  const int failure = connect(s, (const struct sockaddr*)address, sizeof *address);
  const int error = errno;
  close(s);
  errno = error;
  return failure;
}

static void* accept_all(void* listener) {
  for (int s; (s = accept(*(int*)listener, NULL, NULL)) >= 0;) close(s);
  return NULL;
}

static volatile sig_atomic_t alarms, profiles;
static void on_alarm(int number) { (void)number, alarms++; }
static void on_profile(int number) { (void)number, profiles++; }

/* Linux sends the signal of a timer of processor time when a call has ended by itself, since 5.11; this thread sends it
 * at any time, less often than the calls below take. */
static volatile int may_send;
static pthread_t main_thread;
static void* send_signals(void* nothing) {
  const struct timespec pause = {0, 5000000};
  for (; may_send; nanosleep(&pause, NULL)) pthread_kill(main_thread, SIGRTMAX);
  return nothing;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  int ends[2];
  char byte = 0;
  if (pipe(ends) != 0) return 1;
  const int epoll = epoll_create1(0);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  pthread_t thread;
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0 || listen(listener, 100) != 0) return 1;
  getsockname(listener, (struct sockaddr*)&address, &length);
  pthread_create(&thread, NULL, accept_all, &listener);

  struct pollfd waited = {ends[0], POLLIN, 0};
  struct epoll_event event;
  const struct timespec tick = {0, 2000000};
  struct timespec soon;
  struct timeval none = {0, 0};
  const char* rate = getenv("MORA_SAMPLE");
  pthread_t sender;
  main_thread = pthread_self();
  may_send = rate && atoi(rate) > 0;
  const int is_sending = may_send && pthread_create(&sender, NULL, send_signals, NULL) == 0;
  COUNT("poll", 300, poll(&waited, 1, 2));
  COUNT("poll, no wait", 20000, poll(&waited, 1, 0));
  COUNT("select", 300, (none.tv_usec = 2000, select(0, NULL, NULL, NULL, &none)));
  COUNT("epoll_wait", 300, epoll_wait(epoll, &event, 1, 2));
  COUNT("nanosleep", 300, nanosleep(&tick, NULL));
  COUNT("clock_nanosleep", 300, (errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &tick, NULL), errno ? -1 : 0));
  COUNT("sem_timedwait", 300,
        (clock_gettime(CLOCK_REALTIME, &soon), soon.tv_nsec = (soon.tv_nsec + 2000000) % 1000000000,
         sem_timedwait(&semaphore, &soon)));
  COUNT("write and read", 20000, write(ends[1], &byte, 1) < 0 ? -1 : read(ends[0], &byte, 1));
  COUNT("connect", 500, connect_once(&address));
  may_send = 0;
  if (is_sending) pthread_join(sender, NULL);

  int changed = 0;
  const double end = used() + 0.1;
  for (double x = 1; used() < end && x < 2; x = x * 0.9 + 0.1) {
    errno = 77;
    for (volatile int i = 0; i < 100000; i++) continue;
    if (errno != 77) changed++;
  }
  printf("errno: %d\n", changed);

  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, NULL);
  int woken = 0;
  const struct timespec second = {1, 0};
  const struct itimerval again = {{0, 20000}, {0, 20000}}; /* one may come before the sleep */
  setitimer(ITIMER_REAL, &again, NULL);
  for (int i = 0; i < 10; i++)
    if (nanosleep(&second, NULL) != 0 && errno == EINTR) woken++;
  const struct itimerval no_more = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &no_more, NULL);
  printf("own alarms: %s, sleeps that they ended: %d\n", alarms >= 10 ? "come" : "missing", woken);

  signal(SIGPROF, on_profile);
  const struct itimerval often = {{0, 10000}, {0, 10000}};
  setitimer(ITIMER_PROF, &often, NULL);
  const double until = used() + 5;
  while (used() < until && profiles < 3) continue;
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_PROF, &never, NULL);
  printf("own profile: %s\n", profiles > 0 ? "comes" : "missing");

  sigset_t mask;
  sigemptyset(&mask);
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  int blocked = 0;
  for (int number = 1; number <= SIGRTMAX; number++) blocked += sigismember(&mask, number) == 1;
  struct sigaction seen;
  int handled = 0;
  for (int number = SIGSTKFLT; number <= SIGRTMAX; number = number == SIGSTKFLT ? SIGRTMIN : number + 1)
    if (sigaction(number, NULL, &seen) == 0 && seen.sa_handler != SIG_DFL) handled++;
  printf("signals blocked: %d, those that nobody uses with a handler: %d\n", blocked, handled);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
