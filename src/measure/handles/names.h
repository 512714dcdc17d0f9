/* Names that the program gives to its communicators and windows. */
#ifndef MORA_MEASURE_HANDLES_NAMES_H
#define MORA_MEASURE_HANDLES_NAMES_H

#include <stdint.h>

/* what: 0 communicator, 1 window. Longer names than a record holds are cut. */
void mora_write_name(uint32_t id, int what, const char* name);

#endif
