/* Runs a program and appends one line to a file: peak resident memory in KiB, wall seconds.  peak FILE PROGRAM
 * ARGUMENTS… MORA_BENCH_PRELOAD becomes the program's LD_PRELOAD. Exit code: the program's. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* preload = getenv("MORA_BENCH_PRELOAD");
  const double begin = now();
  const pid_t child = fork();
  if (child == 0) {
    if (preload && *preload) setenv("LD_PRELOAD", preload, 1);
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  int status;
  struct rusage used;
  if (child < 0 || wait4(child, &status, 0, &used) != child) return 2;
  char line[64];
  const int n = snprintf(line, sizeof line, "%ld %.6f\n", used.ru_maxrss, now() - begin);
  const int file = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (file < 0 || write(file, line, (size_t)n) != n) return 2;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
