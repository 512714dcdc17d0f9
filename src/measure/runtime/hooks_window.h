/* The part of hooks.h that is about windows: creation, epochs, transfers. Included by hooks.h. */
#ifndef MORA_MEASURE_RUNTIME_HOOKS_WINDOW_H
#define MORA_MEASURE_RUNTIME_HOOKS_WINDOW_H

#include "measure/runtime/call.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* MPI_Accumulate */
static inline void mora_pre_accumulate(struct mora_call* call, const void* origin_addr, int origin_count,
                                       MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                                       int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {}
void mora_post_accumulate(struct mora_call* call, const void* origin_addr, int origin_count,
                          MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count,
                          MPI_Datatype target_datatype, MPI_Op op, MPI_Win win);
/* MPI_Compare_and_swap */
static inline void mora_pre_compare_and_swap(struct mora_call* call, const void* origin_addr, const void* compare_addr,
                                             void* result_addr, MPI_Datatype datatype, int target_rank,
                                             MPI_Aint target_disp, MPI_Win win) {}
void mora_post_compare_and_swap(struct mora_call* call, const void* origin_addr, const void* compare_addr,
                                void* result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                                MPI_Win win);
/* MPI_Fetch_and_op */
static inline void mora_pre_fetch_and_op(struct mora_call* call, const void* origin_addr, void* result_addr,
                                         MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Op op,
                                         MPI_Win win) {}
void mora_post_fetch_and_op(struct mora_call* call, const void* origin_addr, void* result_addr, MPI_Datatype datatype,
                            int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win);
/* MPI_Get */
static inline void mora_pre_get(struct mora_call* call, void* origin_addr, int origin_count,
                                MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count,
                                MPI_Datatype target_datatype, MPI_Win win) {}
void mora_post_get(struct mora_call* call, void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win);
/* MPI_Get_accumulate */
static inline void mora_pre_get_accumulate(struct mora_call* call, const void* origin_addr, int origin_count,
                                           MPI_Datatype origin_datatype, void* result_addr, int result_count,
                                           MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                                           int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {}
void mora_post_get_accumulate(struct mora_call* call, const void* origin_addr, int origin_count,
                              MPI_Datatype origin_datatype, void* result_addr, int result_count,
                              MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count,
                              MPI_Datatype target_datatype, MPI_Op op, MPI_Win win);
/* MPI_Put */
static inline void mora_pre_put(struct mora_call* call, const void* origin_addr, int origin_count,
                                MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count,
                                MPI_Datatype target_datatype, MPI_Win win) {}
void mora_post_put(struct mora_call* call, const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win);
/* MPI_Raccumulate */
static inline void mora_pre_raccumulate(struct mora_call* call, const void* origin_addr, int origin_count,
                                        MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                                        int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                        MPI_Request* request) {}
void mora_post_raccumulate(struct mora_call* call, const void* origin_addr, int origin_count,
                           MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count,
                           MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request);
/* MPI_Rget */
static inline void mora_pre_rget(struct mora_call* call, void* origin_addr, int origin_count,
                                 MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count,
                                 MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {}
void mora_post_rget(struct mora_call* call, void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
                    MPI_Request* request);
/* MPI_Rget_accumulate */
static inline void mora_pre_rget_accumulate(struct mora_call* call, const void* origin_addr, int origin_count,
                                            MPI_Datatype origin_datatype, void* result_addr, int result_count,
                                            MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                                            int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                            MPI_Request* request) {}
void mora_post_rget_accumulate(struct mora_call* call, const void* origin_addr, int origin_count,
                               MPI_Datatype origin_datatype, void* result_addr, int result_count,
                               MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count,
                               MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request);
/* MPI_Rput */
static inline void mora_pre_rput(struct mora_call* call, const void* origin_addr, int origin_count,
                                 MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_cout,
                                 MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {}
void mora_post_rput(struct mora_call* call, const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_cout, MPI_Datatype target_datatype, MPI_Win win,
                    MPI_Request* request);
/* MPI_Win_allocate, MPI_Win_allocate_shared */
static inline void mora_pre_win_allocate(struct mora_call* call, MPI_Aint size, int disp_unit, MPI_Info info,
                                         MPI_Comm comm, void* baseptr, MPI_Win* win) {}
void mora_post_win_allocate(struct mora_call* call, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                            void* baseptr, MPI_Win* win);
/* MPI_Win_complete */
static inline void mora_pre_win_complete(struct mora_call* call, MPI_Win win) {}
void mora_post_win_complete(struct mora_call* call, MPI_Win win);
/* MPI_Win_create */
static inline void mora_pre_win_create(struct mora_call* call, void* base, MPI_Aint size, int disp_unit, MPI_Info info,
                                       MPI_Comm comm, MPI_Win* win) {}
void mora_post_win_create(struct mora_call* call, void* base, MPI_Aint size, int disp_unit, MPI_Info info,
                          MPI_Comm comm, MPI_Win* win);
/* MPI_Win_create_dynamic */
static inline void mora_pre_win_create_dynamic(struct mora_call* call, MPI_Info info, MPI_Comm comm, MPI_Win* win) {}
void mora_post_win_create_dynamic(struct mora_call* call, MPI_Info info, MPI_Comm comm, MPI_Win* win);
/* MPI_Win_fence */
static inline void mora_pre_win_fence(struct mora_call* call, int assert, MPI_Win win) {}
void mora_post_win_fence(struct mora_call* call, int assert, MPI_Win win);
/* MPI_Win_flush, MPI_Win_flush_local */
static inline void mora_pre_win_flush(struct mora_call* call, int rank, MPI_Win win) {}
void mora_post_win_flush(struct mora_call* call, int rank, MPI_Win win);
/* MPI_Win_flush_all, MPI_Win_flush_local_all */
static inline void mora_pre_win_flush_all(struct mora_call* call, MPI_Win win) {}
void mora_post_win_flush_all(struct mora_call* call, MPI_Win win);
/* MPI_Win_free */
void mora_pre_win_free(struct mora_call* call, MPI_Win* win);
void mora_post_win_free(struct mora_call* call, MPI_Win* win);
/* MPI_Win_lock */
static inline void mora_pre_win_lock(struct mora_call* call, int lock_type, int rank, int assert, MPI_Win win) {}
void mora_post_win_lock(struct mora_call* call, int lock_type, int rank, int assert, MPI_Win win);
/* MPI_Win_lock_all */
static inline void mora_pre_win_lock_all(struct mora_call* call, int assert, MPI_Win win) {}
void mora_post_win_lock_all(struct mora_call* call, int assert, MPI_Win win);
/* MPI_Win_post */
static inline void mora_pre_win_post(struct mora_call* call, MPI_Group group, int assert, MPI_Win win) {}
void mora_post_win_post(struct mora_call* call, MPI_Group group, int assert, MPI_Win win);
/* MPI_Win_set_name */
static inline void mora_pre_win_set_name(struct mora_call* call, MPI_Win win, const char* win_name) {}
void mora_post_win_set_name(struct mora_call* call, MPI_Win win, const char* win_name);
/* MPI_Win_start */
static inline void mora_pre_win_start(struct mora_call* call, MPI_Group group, int assert, MPI_Win win) {}
void mora_post_win_start(struct mora_call* call, MPI_Group group, int assert, MPI_Win win);
/* MPI_Win_test */
static inline void mora_pre_win_test(struct mora_call* call, MPI_Win win, int* flag) {}
void mora_post_win_test(struct mora_call* call, MPI_Win win, int* flag);
/* MPI_Win_unlock */
static inline void mora_pre_win_unlock(struct mora_call* call, int rank, MPI_Win win) {}
void mora_post_win_unlock(struct mora_call* call, int rank, MPI_Win win);
/* MPI_Win_unlock_all */
static inline void mora_pre_win_unlock_all(struct mora_call* call, MPI_Win win) {}
void mora_post_win_unlock_all(struct mora_call* call, MPI_Win win);
/* MPI_Win_wait */
static inline void mora_pre_win_wait(struct mora_call* call, MPI_Win win) {}
void mora_post_win_wait(struct mora_call* call, MPI_Win win);

#pragma GCC diagnostic pop

#endif
