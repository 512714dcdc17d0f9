#include "measure/recorder/core_frequency.h"

#include <stdio.h>

uint32_t mora_core_khz(const char* processors, int number) {
  char path[4096];
  unsigned khz = 0;
  if (number < 0 ||
      snprintf(path, sizeof path, "%s/cpu%d/cpufreq/scaling_cur_freq", processors, number) >= (int)sizeof path)
    return 0;
  FILE* file = fopen(path, "re");
  if (!file) return 0;
  if (fscanf(file, "%u", &khz) != 1) khz = 0;
  fclose(file);
  return khz;
}
