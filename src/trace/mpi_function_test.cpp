#include "trace/mpi_function.h"

#include <gtest/gtest.h>

namespace mora::trace {
namespace {

TEST(MpiFunction, is_found_under_all_its_names) {
  for (const char* name : {"MPI_Send", "PMPI_Send", "mpi_send", "mpi_send_", "MPI_SEND", "mpi_send__", "MPI_Send_c",
                           "mpi_send_f08_", "mpi_send_f08ts_"}) {
    EXPECT_EQ(mpi_function(name), MpiFunction::send) << name;
  }
  EXPECT_EQ(mpi_function("MPI_Init_thread"), MpiFunction::init_thread);
  EXPECT_EQ(mpi_function("MPI_Reduce_scatter_block"), MpiFunction::reduce_scatter_block);
}

TEST(MpiFunction, knows_what_is_not_mpi) {
  EXPECT_EQ(mpi_function("main"), MpiFunction::none);
  EXPECT_EQ(mpi_function("MPI"), MpiFunction::none);
  EXPECT_EQ(mpi_function(""), MpiFunction::none);
  EXPECT_EQ(mpi_function("mpiSend"), MpiFunction::none);
  EXPECT_EQ(mpi_function("MPI_Wtime"), MpiFunction::other);
}

TEST(MpiFunction, classes_tell_calls_apart) {
  const auto of = [](const char* name) { return mpi_function_info(mpi_function(name)).call_class; };
  EXPECT_EQ(of("MPI_Ssend"), CallClass::send);
  EXPECT_EQ(of("MPI_Waitany"), CallClass::wait_multiple);
  EXPECT_EQ(of("MPI_Wait"), CallClass::wait_single);
  EXPECT_TRUE(is_test(of("MPI_Testsome")));
  EXPECT_TRUE(is_test(of("MPI_Win_test")));
  EXPECT_FALSE(is_test(of("MPI_Win_wait")));
  EXPECT_TRUE(is_rma(of("MPI_Fetch_and_op")));
  EXPECT_FALSE(is_rma(of("MPI_File_open")));
  EXPECT_EQ(of("MPI_Ibarrier"), CallClass::collective_start);
  EXPECT_EQ(mpi_function_info(mpi_function("MPI_Exscan")).collective, Collective::exscan);
  EXPECT_EQ(shape(Collective::reduce), CollectiveShape::all_to_one);
  EXPECT_EQ(mpi_function_info(static_cast<MpiFunction>(60000)).call_class, CallClass::none);
}

}  // namespace
}  // namespace mora::trace
