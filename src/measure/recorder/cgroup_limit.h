/* How many processors Linux's control groups allow a process at the same time: containers, batch systems, systemd. */
#ifndef MORA_MEASURE_RECORDER_CGROUP_LIMIT_H
#define MORA_MEASURE_RECORDER_CGROUP_LIMIT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In thousandths of a processor; 0: no limit is known. `own_groups`: /proc/self/cgroup (cgroups(7), both versions);
 * `mount`: /sys/fs/cgroup. The smallest limit from the process's group up to the root counts. Reads files only. */
uint32_t mora_cgroup_limit(const char* own_groups, const char* mount);

/* For how long such a limit stopped the group (ns, added up over processors) since the group was made; of several
 * groups the most. */
uint64_t mora_cgroup_throttled(const char* own_groups, const char* mount);

#ifdef __cplusplus
}
#endif

#endif
