/* Runs a command in which perf_event_open is forbidden, or the call FORBIDDEN, as a container's seccomp filter does;
 * with REASON EACCES as kernel.perf_event_paranoid above 2 does. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef REASON
#define REASON EPERM
#endif
#ifndef FORBIDDEN
#define FORBIDDEN SYS_perf_event_open
#endif

int main(int argc, char** argv) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FORBIDDEN, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | REASON),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
  if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    perror("forbid");
    return 1;
  }
  execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 1;
}
