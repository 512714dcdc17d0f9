/* Stands for MinI's library, which a program was linked with: the preloaded recorder comes before it. */
#include <stdio.h>

void mini_annotate_phase_start_(const char* name, size_t bytes) { printf("MinI: %.*s\n", (int)bytes, name); }
void mini_annotate_phase_end_(const char* name, size_t bytes) { printf("MinI: %.*s\n", (int)bytes, name); }
