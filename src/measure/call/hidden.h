/* Variables that every call looks at are declared hidden: the compiler then reaches them by one instruction, without
 * their address from the table of what another library may replace. (-fvisibility=hidden is about definitions only.) */
#ifndef MORA_MEASURE_CALL_HIDDEN_H
#define MORA_MEASURE_CALL_HIDDEN_H

#define MORA_HIDDEN __attribute__((visibility("hidden")))

#endif
