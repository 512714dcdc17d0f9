/* Which calls still run their hooks while recording is off, so that the tables of handles stay right. */
#ifndef MORA_MEASURE_RUNTIME_TRACKED_H
#define MORA_MEASURE_RUNTIME_TRACKED_H

#include <stdint.h>

enum { MORA_TRACK_ALWAYS = 1, MORA_TRACK_REQUESTS = 2 /* only while requests are outstanding */ };

/// Fills tracked[function] with 0, MORA_TRACK_ALWAYS or MORA_TRACK_REQUESTS.
void mora_choose_tracked(uint8_t* tracked);

#endif
