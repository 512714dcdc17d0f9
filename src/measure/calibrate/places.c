/* Packages and cores from sysfs: of the processors that this process may use. Linux, sysfs: CPU topology. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "measure/calibrate/calibrate.h"

static int topology(int processor, const char* what) {
  char path[128];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", processor, what);
  FILE* file = fopen(path, "r");
  int value = -1;
  if (file != NULL) {
    if (fscanf(file, "%d", &value) != 1) value = -1;
    fclose(file);
  }
  return value;
}

void mora_own_place(struct mora_place* place) {
  memset(place, 0, sizeof *place);
  if (gethostname(place->host, sizeof place->host - 1) != 0) strcpy(place->host, "unknown");
  place->package = place->core = -1;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  int is_first = 1;
  for (int p = 0; p < CPU_SETSIZE; ++p) {
    if (!CPU_ISSET(p, &set)) continue;
    if (p < MORA_PROCESSORS) place->processors[p / 8] |= (uint8_t)(1u << p % 8);
    const int package = topology(p, "physical_package_id"), core = topology(p, "core_id");
    if (is_first) {
      place->package = package;
      place->core = core;
    } else {
      if (package != place->package) place->package = -1;
      if (core != place->core || place->package < 0) place->core = -1;
    }
    is_first = 0;
  }
}

const char* mora_class_of(const struct mora_place* a, const struct mora_place* b) {
  if (strcmp(a->host, b->host) != 0) return "other_node";
  if (a->package < 0 || a->package != b->package) return "same_node";
  return a->core >= 0 && a->core == b->core ? "same_core" : "same_package";
}

int mora_processors(const struct mora_place* places, int ranks, const struct mora_place* place) {
  int count = 0;
  for (int p = 0; p < MORA_PROCESSORS; ++p) {
    int is_used = 0;
    for (int r = 0; r < ranks && !is_used; ++r)
      is_used = strcmp(places[r].host, place->host) == 0 && (places[r].processors[p / 8] >> p % 8 & 1) != 0;
    count += is_used;
  }
  return count;
}
