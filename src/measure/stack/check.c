#define _GNU_SOURCE
#include "measure/stack/check.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "measure/stack/walk.h"

enum { deepest = 4 * MORA_STACK_DEEPEST, smallest_address = 4096 };

uint64_t mora_stacks_checked, mora_stacks_different;

struct context;
typedef int take_frame(struct context* context, void* stack);
static int (*backtrace_all)(take_frame* take, void* stack);
static uintptr_t (*address_of)(struct context* context);

struct stack {
  uint64_t addresses[deepest];
  unsigned count;
  uint64_t site; /* frames inside of the call are the recorder's */
};

static int take(struct context* context, void* to) {
  struct stack* stack = to;
  const uintptr_t address = address_of(context);
  if (stack->count == 0 && address != stack->site) return 0;
  if (stack->count < deepest && address != 0) stack->addresses[stack->count++] = address;
  return 0;
}

int mora_stack_check_start(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
  backtrace_all = (int (*)(take_frame*, void*))dlsym(handle, "_Unwind_Backtrace");
  address_of = (uintptr_t(*)(struct context*))dlsym(handle, "_Unwind_GetIP");
  return backtrace_all && address_of;
}

static void print(const char* who, const uint64_t* addresses, unsigned count) {
  fprintf(stderr, "mora: stack by %s:", who);
  for (unsigned i = 0; i < count; i++) {
    Dl_info info;
    const int is_known = dladdr((void*)(uintptr_t)addresses[i], &info) && info.dli_sname;
    fprintf(stderr, " %#llx%s%s", (unsigned long long)addresses[i], is_known ? "=" : "",
            is_known ? info.dli_sname : "");
  }
  fprintf(stderr, "\n");
}

void mora_stack_check(uint32_t number, const void* site) {
  static struct stack other;
  static uint64_t walked[MORA_STACK_DEEPEST + 1];
  const int error = errno;
  unsigned known = mora_stack_addresses(number, walked, MORA_STACK_DEEPEST + 1);
  const unsigned all = known;
  if (known > 0 && walked[known - 1] < smallest_address) known--; /* why no more is known */
  const int is_whole = known == all && !(known > 0 && mora_stack_ends_at(walked[known - 1]));
  other.count = 0;
  other.site = (uintptr_t)site;
  backtrace_all(take, &other);
  int is_equal = is_whole ? known == other.count : known <= other.count;
  for (unsigned i = 0; is_equal && i < known; i++) is_equal = walked[i] == other.addresses[i];
  mora_stacks_checked++;
  if (!is_equal && mora_stacks_different++ == 0) {
    print("Mora", walked, all);
    print("the other unwinder", other.addresses, other.count);
  }
  errno = error;
}
