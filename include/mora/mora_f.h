! Macros for Fortran sources that are preprocessed (.F90, or -cpp): #include "mora/mora_f.h" and `use mora` (mora.F90).
! They add file and line. Long paths make long lines: gfortran -ffree-line-length-none (-ffixed-line-length-none).
! With MORA_DISABLE they are nothing, and the module is not needed (`#ifndef MORA_DISABLE` around its `use`).
#ifdef MORA_DISABLE
#define MORA_INTERVAL_BEGIN(id)
#define MORA_INTERVAL_END(id)
#define MORA_SEQUENTIAL_BEGIN()
#define MORA_SEQUENTIAL_END()
#define MORA_REPLICATED_BEGIN(processes)
#define MORA_REPLICATED_END()
#define MORA_REGION_BEGIN(name)
#define MORA_REGION_END(name)
#define MORA_PHASE_BEGIN(name)
#define MORA_PHASE_END(name)
#else
#define MORA_INTERVAL_BEGIN(id) call mora_interval_begin(id, __FILE__, __LINE__)
#define MORA_INTERVAL_END(id) call mora_interval_end(id, __FILE__, __LINE__)
#define MORA_SEQUENTIAL_BEGIN() call mora_sequential_begin(__FILE__, __LINE__)
#define MORA_SEQUENTIAL_END() call mora_sequential_end(__FILE__, __LINE__)
#define MORA_REPLICATED_BEGIN(processes) call mora_replicated_begin(processes, __FILE__, __LINE__)
#define MORA_REPLICATED_END() call mora_replicated_end(__FILE__, __LINE__)
#define MORA_REGION_BEGIN(name) call mora_region_begin(name, __FILE__, __LINE__)
#define MORA_REGION_END(name) call mora_region_end(name, __FILE__, __LINE__)
#define MORA_PHASE_BEGIN(name) call mora_phase_begin(name, __FILE__, __LINE__)
#define MORA_PHASE_END(name) call mora_phase_end(name, __FILE__, __LINE__)
#endif
