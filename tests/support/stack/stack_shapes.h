/// For walk_test.cpp: functions with all sorts of frames (stack_shapes.cpp), compiled with different options.
#pragma once

/// Compares the walk's stack with that of libgcc's unwinder: both of the caller. Defined by the test.
extern "C" void probe();

void shapes_plain(int rounds);      ///< -O0
void shapes_optimised(int rounds);  ///< -O2 -fomit-frame-pointer
void shapes_framed(int rounds);     ///< -O2 -fno-omit-frame-pointer
void shapes_wide(int rounds);       ///< -O3 -mavx2
