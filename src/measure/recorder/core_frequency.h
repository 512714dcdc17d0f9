/* How fast a processor runs, where Linux tells it (cpufreq). */
#ifndef MORA_MEASURE_RECORDER_CORE_FREQUENCY_H
#define MORA_MEASURE_RECORDER_CORE_FREQUENCY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In kHz, at this moment; 0: not told, as in most virtual machines. `processors`: /sys/devices/system/cpu. */
uint32_t mora_core_khz(const char* processors, int number);

#ifdef __cplusplus
}
#endif

#endif
