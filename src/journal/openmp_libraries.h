/* How the names of OpenMP libraries begin that tell a tool what their threads do (LLVM, Intel, AMD, NVIDIA). Call
 * stacks of threads and tasks end in them, in the recorder as in the conversion: what is outside is another one's.
 * GCC's is none of them: there stacks end in the recorder. */
#ifndef MORA_JOURNAL_OPENMP_LIBRARIES_H
#define MORA_JOURNAL_OPENMP_LIBRARIES_H

#define MORA_OPENMP_LIBRARIES "libomp.", "libomp-", "libiomp", "libnvomp."

#endif
