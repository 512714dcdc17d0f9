/* counted WHAT AMOUNT: does one thing so often, between two barriers. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { page = 4096, pages_at_a_time = 4096 };

/* Each page is made when it is touched. */
__attribute__((noinline)) static void touch(long pages) {
  char* memory = mmap(NULL, (size_t)pages_at_a_time * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, (size_t)pages_at_a_time * page, MADV_NOHUGEPAGE);
  while (pages > 0) {
    for (long p = 0; p < pages_at_a_time && pages > 0; p++, pages--) ((volatile char*)memory)[p * page] = 1;
    madvise(memory, (size_t)pages_at_a_time * page, MADV_DONTNEED);
  }
  munmap(memory, (size_t)pages_at_a_time * page);
}

/* Gives up its processor each time. */
__attribute__((noinline)) static void doze(long times) {
  const struct timespec moment = {0, 20000};
  while (times-- > 0) nanosleep(&moment, NULL);
}

/* Computes for so many ms of its own processor time. */
__attribute__((noinline)) static void compute(long ms) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  const long end = now.tv_sec * 1000 + now.tv_nsec / 1000000 + ms;
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < end);
}

/* From one processor to another and back. */
__attribute__((noinline)) static void move(long times) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  int processors[2], n = 0;
  for (int p = 0; p < CPU_SETSIZE && n < 2; p++)
    if (CPU_ISSET(p, &all)) processors[n++] = p;
  for (; n == 2 && times > 0; times--) {
    CPU_ZERO(&one);
    CPU_SET(processors[times % 2], &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  sched_setaffinity(0, sizeof all, &all);
}

/* A message to itself: a call that this thread makes. */
static void call(int tag) {
  int in = 0;
  MPI_Sendrecv(&tag, 1, MPI_INT, 0, tag, &in, 1, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* To nobody, and as much from zeroes. */
__attribute__((noinline)) static void copy(long bytes) {
  const size_t most = 1 << 20;
  char* text = malloc(most);
  const int zeroes = open("/dev/zero", O_RDONLY), nobody = open("/dev/null", O_WRONLY);
  while (bytes > 0) {
    const ssize_t n = read(zeroes, text, (size_t)bytes < most ? (size_t)bytes : most);
    if (n <= 0 || write(nobody, text, (size_t)n) != n) abort();
    bytes -= n;
  }
  close(zeroes);
  close(nobody);
  free(text);
}

/* So much memory at once, twice. */
__attribute__((noinline)) static void grow(long bytes) {
  for (int i = 0; i < 2; i++) {
    char* memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long at = 0; at < bytes; at += page) ((volatile char*)memory)[at] = 1;
    munmap(memory, (size_t)bytes);
  }
}

static void* touch_in_thread(void* amount) {
  const long pages = (long)amount;
  call((int)(pages % 1000));
  touch(pages);
  call((int)(pages % 1000));
  return NULL;
}

/* Two threads, one after the other, and two at once: the second touches twice as much. */
static void threads(long pages) {
  pthread_t first, second;
  pthread_create(&first, NULL, touch_in_thread, (void*)pages);
  pthread_join(first, NULL);
  pthread_create(&first, NULL, touch_in_thread, (void*)(pages + 1));
  pthread_create(&second, NULL, touch_in_thread, (void*)(2 * pages));
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}

static void* copy_in_thread(void* bytes) {
  for (int i = 0; i < 2000; i++) call(1);
  copy((long)bytes);
  call(1);
  return NULL;
}

static int open_descriptors(void) {
  DIR* folder = opendir("/proc/self/fd");
  int count = 0;
  while (readdir(folder)) count++;
  closedir(folder);
  return count;
}

/* Two threads, of which the second takes the place of the first, and its descriptors. */
static void copies(long bytes) {
  int open_then = 0;
  for (int i = 0; i < 2; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, copy_in_thread, (void*)bytes);
    pthread_join(thread, NULL);
    if (i == 0) open_then = open_descriptors();
  }
  if (open_descriptors() > open_then) abort();
}

/* A child does the same, and then becomes another program. */
static void spawn(long pages) {
  const pid_t child = fork();
  if (child == 0) {
    touch(pages);
    execlp("true", "true", (char*)NULL);
    _exit(1);
  }
  int status = 1;
  if (waitpid(child, &status, 0) != child || status != 0) abort();
  touch(pages);
}

/* Tests so often for a message that is not sent yet, and once for one that is. */
static void poll(long times) {
  int done = 0, token = 0, in = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  while (times-- > 0) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The numbers of files that are not its own are given to one that is, after half of what it does; this one stays as it
 * was: what is read from it would move its position. */
static void take_numbers(long amount) {
  static const char text[] = "the program's own";
  touch(amount / 2);
  copy(amount / 2);
  call(1);
  FILE* own = tmpfile();
  if (!own || fwrite(text, sizeof text, 1, own) != 1 || fflush(own) != 0 || lseek(fileno(own), 0, SEEK_SET) != 0)
    abort();
  for (int number = 200; number < 1024; number++)
    if (dup2(fileno(own), number) != number) abort();
  call(2);
  touch(amount / 2);
  copy(amount / 2);
  call(3);
  for (int number = 200; number < 1024; number++)
    if (lseek(number, 0, SEEK_CUR) != 0) abort();
}

/* The first half while recording is off. */
static void in_part(long pages) {
  MPI_Pcontrol(0);
  touch(pages / 2);
  MPI_Pcontrol(1);
  touch(pages / 2);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*action)(long);
  } actions[] = {{"touch", touch},     {"doze", doze},     {"compute", compute}, {"move", move},
                 {"threads", threads}, {"poll", poll},     {"part", in_part},    {"copy", copy},
                 {"grow", grow},       {"copies", copies}, {"spawn", spawn},     {"take numbers", take_numbers}};
  if (argc != 3) return 2;
  int provided;
  if (strcmp(argv[1], "threads") == 0 || strcmp(argv[1], "copies") == 0)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else
    MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  for (unsigned i = 0; i < sizeof actions / sizeof *actions; i++)
    if (strcmp(argv[1], actions[i].name) == 0) actions[i].action(atol(argv[2]));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
