#include "measure/recorder/cgroup_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { path_bytes = 4096 };

/* The numbers of a small file, "max" as -1; how many there were. */
static int read_numbers(const char* directory, const char* name, int64_t* numbers, int most) {
  char path[path_bytes + 32], text[64];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE* file = fopen(path, "re");
  if (!file) return 0;
  int n = 0;
  while (n < most && fscanf(file, "%60s", text) == 1) numbers[n++] = strcmp(text, "max") == 0 ? -1 : atoll(text);
  fclose(file);
  return n;
}

/* Of one group, in thousandths; 0: none. */
static uint32_t limit_of(const char* directory) {
  int64_t n[2] = {-1, 0};
  if (read_numbers(directory, "cpu.max", n, 2) != 2) {
    n[0] = -1;
    if (read_numbers(directory, "cpu.cfs_quota_us", n, 1) != 1 ||
        read_numbers(directory, "cpu.cfs_period_us", n + 1, 1) != 1)
      return 0;
  }
  const int64_t most = UINT32_MAX / 1000;
  if (n[0] <= 0 || n[1] <= 0 || n[0] / n[1] >= most) return 0;
  const uint32_t thousandths = (uint32_t)(n[0] * 1000 / n[1]);
  return thousandths ? thousandths : 1;
}

/* How long a group was stopped by its limit, ns: cpu.stat, "throttled_usec" of version 2, "throttled_time" of 1. */
static uint64_t throttled_of(const char* directory) {
  char path[path_bytes + 32], name[64];
  long long number;
  uint64_t ns = 0;
  snprintf(path, sizeof path, "%s/cpu.stat", directory);
  FILE* file = fopen(path, "re");
  if (!file) return 0;
  while (fscanf(file, "%60s %lld", name, &number) == 2) {
    if (number <= 0) continue;
    if (strcmp(name, "throttled_usec") == 0) ns = (uint64_t)number * 1000;
    if (strcmp(name, "throttled_time") == 0) ns = (uint64_t)number;
  }
  fclose(file);
  return ns;
}

struct found {
  uint32_t smallest_limit; /* 0: none */
  uint64_t most_throttled_ns;
};

static void look_at(const char* directory, struct found* found) {
  const uint32_t limit = limit_of(directory);
  if (limit && (!found->smallest_limit || limit < found->smallest_limit)) found->smallest_limit = limit;
  const uint64_t throttled = throttled_of(directory);
  if (throttled > found->most_throttled_ns) found->most_throttled_ns = throttled;
}

/* From `path` below `top` up to `top`. In a container the path may be one outside of it: then only `top` is there. */
static void look_upwards(const char* top, const char* path, struct found* found) {
  char directory[path_bytes];
  if (snprintf(directory, sizeof directory, "%s%s", top, path) >= (int)sizeof directory) return;
  for (;;) {
    look_at(directory, found);
    char* slash = strrchr(directory, '/');
    if (strlen(directory) <= strlen(top) || !slash) return;
    *slash = 0;
  }
}

static struct found look(const char* own_groups, const char* mount) {
  char line[path_bytes], top[path_bytes + 64];
  struct found found = {0, 0};
  FILE* file = fopen(own_groups, "re");
  while (file && fgets(line, sizeof line, file)) { /* "0::/path" or "4:cpu,cpuacct:/path" */
    line[strcspn(line, "\n")] = 0;
    char* const controllers = strchr(line, ':');
    char* const path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) continue;
    *path = 0;
    if (controllers[1] == 0) {
      snprintf(top, sizeof top, "%s", mount);
    } else {
      char list[path_bytes];
      snprintf(list, sizeof list, ",%s,", controllers + 1);
      if (!strstr(list, ",cpu,")) continue;
      snprintf(top, sizeof top, "%s/%.63s", mount, controllers + 1);
    }
    look_upwards(top, strcmp(path + 1, "/") == 0 ? "" : path + 1, &found);
  }
  if (file) fclose(file);
  return found;
}

uint32_t mora_cgroup_limit(const char* own_groups, const char* mount) { return look(own_groups, mount).smallest_limit; }

uint64_t mora_cgroup_throttled(const char* own_groups, const char* mount) {
  return look(own_groups, mount).most_throttled_ns;
}
