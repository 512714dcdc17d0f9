/* While recording is off, which calls still go through their hooks, so that handles keep their meaning. */
#ifndef MORA_MEASURE_RUNTIME_TRACKED_H
#define MORA_MEASURE_RUNTIME_TRACKED_H

#include <stdint.h>

enum { MORA_TRACK_ALWAYS = 1, MORA_TRACK_REQUESTS = 2 /* only while requests are outstanding */ };

void mora_choose_tracked(uint8_t* tracked);

#endif
