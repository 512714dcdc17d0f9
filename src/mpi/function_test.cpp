// The table against the facts of the MPI standard, and against the numbers that stand in files.
#include "mpi/function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "mpi/function_table.h"
#include "mpi/operation.h"

namespace mora::mpi {
namespace {

const Function& named(std::string_view name) {
  const FunctionId id = find_exactly(name);
  EXPECT_NE(id, FunctionId::none) << name;
  return function(id);
}

std::vector<const Function*> all() {
  std::vector<const Function*> rows;
  for (unsigned id = 1; id <= function_count; ++id) rows.push_back(&function(id));
  return rows;
}

/// FNV-1a of the names in the order of their numbers.
template <typename Name>
std::uint64_t hash_of_names(unsigned count, Name name) {
  std::uint64_t hash = 14695981039346656037U;
  for (unsigned i = 0; i < count; ++i)
    for (const char c : std::string(name(i)) + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

// ---- numbers and names

TEST(MpiTable, NumbersInFilesStay) {
  ASSERT_GE(function_count, 564);
  EXPECT_EQ(hash_of_names(564, [](unsigned i) { return function(i + 1).name; }), 409928877137397232U)
      << "journals and OTF2 index";
  ASSERT_GE(operation_count, 122U);
  EXPECT_EQ(hash_of_names(122, [](unsigned i) { return info(static_cast<Operation>(i)).mpi_name; }),
            11019446895684013498U)
      << "trace.mpt";
  EXPECT_EQ(static_cast<unsigned>(named("MPI_Send").id), 425U);
  EXPECT_EQ(static_cast<unsigned>(named("MPI_Wtime").id), 564U);
  EXPECT_EQ(static_cast<unsigned>(Operation::other), 121U);
  EXPECT_EQ(static_cast<unsigned>(Collective::neighbor_alltoallw), 29U);
}

TEST(MpiTable, BothLanguagesHaveTheSameRows) {
  ASSERT_EQ(mora_function_count(), function_count);
  for (const Function* f : all()) {
    const auto id = static_cast<unsigned>(f->id);
    EXPECT_EQ(mora_function_name(id), f->name);
    EXPECT_EQ((mora_function_traits(id) & MORA_TRAIT_QUERY) != 0, f->is_query) << f->name;
    EXPECT_EQ((mora_function_traits(id) & MORA_TRAIT_PERSISTENT) != 0, f->call == CallClass::collective_setup);
    EXPECT_EQ((mora_function_traits(id) & MORA_TRAIT_COMPLETES) != 0, completes_requests(f->call)) << f->name;
  }
  EXPECT_EQ(mora_function_name(0), nullptr);
  EXPECT_EQ(mora_function_name(function_count + 1U), nullptr);
  EXPECT_EQ(mora_function_traits(function_count + 1U), 0U);
  for (const char* tracked : {"MPI_Comm_split", "MPI_Send_init", "MPI_Win_lock_all", "MPI_Imrecv", "MPI_Abort"})
    EXPECT_TRUE(mora_function_traits(static_cast<unsigned>(named(tracked).id)) & MORA_TRAIT_TRACKED) << tracked;
  for (const char* untracked : {"MPI_Send", "MPI_Wait", "MPI_Bcast", "MPI_Put", "MPI_Comm_rank", "MPI_Type_free"})
    EXPECT_FALSE(mora_function_traits(static_cast<unsigned>(named(untracked).id)) & MORA_TRAIT_TRACKED) << untracked;
}

TEST(MpiTable, FunctionIsFoundUnderAllItsNames) {
  for (const char* name : {"MPI_Send", "PMPI_Send", "mpi_send", "mpi_send_", "MPI_SEND", "mpi_send__", "MPI_Send_c",
                           "mpi_send_f08_", "mpi_send_f08ts_"}) {
    EXPECT_EQ(find(name), FunctionId::send) << name;
  }
  EXPECT_EQ(find("MPI_Init_thread"), FunctionId::init_thread);
  EXPECT_EQ(find("MPI_Reduce_scatter_block"), FunctionId::reduce_scatter_block);
  for (const Function* f : all()) {
    EXPECT_EQ(find(f->name), f->standard) << f->name;
    EXPECT_EQ(find_exactly(f->name), f->id) << f->name;
  }
  EXPECT_EQ(find_exactly("mpi_send_"), FunctionId::none);
}

TEST(MpiTable, KnowsWhatIsNotMpi) {
  EXPECT_EQ(find("main"), FunctionId::none);
  EXPECT_EQ(find("MPI"), FunctionId::none);
  EXPECT_EQ(find(""), FunctionId::none);
  EXPECT_EQ(find("mpiSend"), FunctionId::none);
  EXPECT_EQ(find("MPI_Wtime"), FunctionId::wtime);
  EXPECT_EQ(find("MPI_Not_yet_invented"), FunctionId::other);
  EXPECT_EQ(function(FunctionId::other).call, CallClass::other);
  EXPECT_EQ(function(FunctionId::other).name, "MPI");
  EXPECT_EQ(function(static_cast<FunctionId>(60000)).call, CallClass::none);
  EXPECT_EQ(function(0U).call, CallClass::none);
  EXPECT_EQ(function(function_count + 1U).call, CallClass::none);
}

// ---- the standard's facts

TEST(MpiTable, NonBlockingFunctionsHaveBlockingPartners) {
  // MPI-3.1, 2.5 and 3.7: the letter I. The other names that begin with it are no such functions.
  const std::set<std::string> others = {
      "MPI_Info_create",     "MPI_Info_create_env",   "MPI_Info_delete",      "MPI_Info_dup",
      "MPI_Info_free",       "MPI_Info_get",          "MPI_Info_get_nkeys",   "MPI_Info_get_nthkey",
      "MPI_Info_get_string", "MPI_Info_get_valuelen", "MPI_Info_set",         "MPI_Init",
      "MPI_Init_thread",     "MPI_Initialized",       "MPI_Intercomm_create", "MPI_Intercomm_create_from_groups",
      "MPI_Intercomm_merge", "MPI_Is_thread_main"};
  unsigned found = 0;
  for (const Function* f : all()) {
    if (f->name[4] != 'I' || others.contains(std::string(f->name))) continue;
    ++found;
    const Function& partner = function(f->blocking);
    EXPECT_NE(f->form, Form::blocking) << f->name;
    EXPECT_EQ(partner.form, Form::blocking) << f->name;
    std::string lower(partner.name.substr(4));
    lower[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(lower[0])));
    if (f->standard == FunctionId::improbe) lower = "mprobe";
    std::string expected(function(f->standard).name.substr(5));
    if (f->standard == FunctionId::improbe) expected = "mprobe";
    EXPECT_EQ(lower, expected) << f->name;
    EXPECT_EQ(f->makes_request, f->form == Form::starts) << f->name;
    if (f->form == Form::starts) {
      EXPECT_EQ(f->flow, partner.flow) << f->name;
      EXPECT_EQ(f->collective, partner.collective) << f->name;
      EXPECT_EQ(f->root, partner.root) << f->name;
    }
  }
  EXPECT_EQ(found, 61U);
}

TEST(MpiTable, PersistentFormsSetUpWhatABlockingFunctionDoes) {
  unsigned found = 0;
  for (const Function* f : all()) {
    if (f->form != Form::sets_up || f->id != f->standard) continue;
    ++found;
    EXPECT_TRUE(f->name.ends_with("_init") && f->makes_request) << f->name;
    EXPECT_EQ(f->flow, Flow::none) << f->name << ": its start moves data";
    if (f->name != "MPI_Psend_init" && f->name != "MPI_Precv_init") {
      EXPECT_EQ(std::string(function(f->blocking).name) + "_init", f->name);
    }
    if (f->call == CallClass::collective_setup) {
      EXPECT_EQ(f->collective, function(f->blocking).collective) << f->name;
      EXPECT_EQ(f->operation, Operation::collective_init) << f->name;
      EXPECT_EQ(function(function(f->started).blocking).id, f->blocking) << f->name;
    }
  }
  EXPECT_EQ(found, 5U + 22U + 2U);
}

TEST(MpiTable, LargeCountFormsMeanTheSame) {
  unsigned found = 0;
  for (const Function* f : all()) {
    const Function& standard = function(f->standard);
    if (!f->name.ends_with("_c")) {
      EXPECT_EQ(f->id, f->standard) << f->name;
      continue;
    }
    ++found;
    EXPECT_EQ(std::string(standard.name) + "_c", f->name);
    EXPECT_EQ(f->since, 40) << f->name;
    EXPECT_TRUE(f->call == standard.call && f->subject == standard.subject && f->form == standard.form) << f->name;
    EXPECT_TRUE(f->collective == standard.collective && f->rma == standard.rma && f->flow == standard.flow) << f->name;
    EXPECT_TRUE(f->file == standard.file && f->by_all == standard.by_all && f->root == standard.root) << f->name;
    EXPECT_EQ(f->blocking, standard.blocking) << f->name;
  }
  EXPECT_EQ(found, 154U);
}

TEST(MpiTable, CollectivesSayWhereTheirRootIs) {
  struct Rooted {
    const char* name;
    int argument;
  };
  // MPI-3.1, 5.4 to 5.6, 5.9, 10.3 and 10.4: the parameter `root`, counted from 0.
  for (const auto& [name, argument] : {Rooted{"MPI_Bcast", 3},
                                       {"MPI_Gather", 6},
                                       {"MPI_Gatherv", 7},
                                       {"MPI_Scatter", 6},
                                       {"MPI_Scatterv", 7},
                                       {"MPI_Reduce", 5},
                                       {"MPI_Ibcast", 3},
                                       {"MPI_Igatherv", 7},
                                       {"MPI_Reduce_init", 5},
                                       {"MPI_Bcast_c", 3},
                                       {"MPI_Comm_spawn", 4},
                                       {"MPI_Comm_spawn_multiple", 5},
                                       {"MPI_Comm_accept", 2},
                                       {"MPI_Comm_connect", 2}}) {
    EXPECT_EQ(named(name).root, argument) << name;
  }
  for (const Function* f : all()) {
    if (f->subject != Subject::collective) continue;
    EXPECT_EQ(f->root >= 0, is_rooted(f->collective)) << f->name;
    EXPECT_EQ(f->by_all, f->call != CallClass::other) << f->name;
  }
}

TEST(MpiTable, EveryCollectiveHasAShapeAndItsForms) {
  const auto is = [](Collective c, CollectiveShape s) { return shape(c) == s; };
  using enum CollectiveShape;
  EXPECT_TRUE(is(Collective::barrier, barrier) && is(Collective::bcast, one_to_all) &&
              is(Collective::scatterv, one_to_all) && is(Collective::reduce, all_to_one) &&
              is(Collective::gatherv, all_to_one) && is(Collective::allreduce, all_to_all) &&
              is(Collective::alltoallw, all_to_all) && is(Collective::reduce_scatter, all_to_all) &&
              is(Collective::scan, prefix) && is(Collective::exscan, prefix) &&
              is(Collective::neighbor_alltoall, neighborhood) && is(Collective::init, none) &&
              is(Collective::create_handle, none) && is(Collective::other, none));
  EXPECT_EQ(shape(static_cast<Collective>(200)), none);
  unsigned operations = 0;
  for (std::size_t i = 0; i < collective_count; ++i) {
    const auto c = static_cast<Collective>(i);
    if (shape(c) == none) continue;
    ++operations;
    const Function& blocking = function(c);
    EXPECT_EQ(blocking.collective, c);
    EXPECT_EQ(info(operation_of(c, false)).mpi_name, blocking.name.substr(4));
    EXPECT_EQ(blocking_form(operation_of(c, true)), operation_of(c, false));
    EXPECT_TRUE(starts_request(operation_of(c, true)));
    std::string name(blocking.name.substr(4));
    name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
    EXPECT_EQ(to_string(c), name);
    EXPECT_EQ(named("MPI_I" + name).collective, c);
    EXPECT_EQ(named(std::string(blocking.name) + "_init").collective, c);
  }
  EXPECT_EQ(operations, 22U);
  EXPECT_EQ(operation_of(Collective::init, false), Operation::other);
  EXPECT_EQ(started_collective(named("MPI_Iscan")), Collective::scan);
  EXPECT_EQ(started_collective(named("MPI_Scan")), Collective::none);
  EXPECT_EQ(started_collective(named("MPI_Scan_init")), Collective::none);
  for (const char* other : {"MPI_Isend", "MPI_Send_init", "MPI_Init", "MPI_Comm_idup", "MPI_Reduce_local"})
    EXPECT_EQ(named(other).shape, none) << other;
  EXPECT_TRUE(has_partners(Collective::alltoallv) && has_partners(Collective::neighbor_allgather));
  EXPECT_FALSE(has_partners(Collective::alltoall) || has_partners(Collective::allgatherv));
}

TEST(MpiTable, VersionsThatHaveAFunction) {
  const auto since = [](const char* name) { return static_cast<int>(named(name).since); };
  EXPECT_EQ(since("MPI_Send"), 10);
  EXPECT_EQ(since("MPI_Get_version"), 12);
  EXPECT_EQ(since("MPI_Put"), 20);
  EXPECT_EQ(since("MPI_Alltoallw"), 20);
  EXPECT_EQ(since("MPI_Dist_graph_create"), 22);
  EXPECT_EQ(since("MPI_Ibarrier"), 30);
  EXPECT_EQ(since("MPI_Win_flush"), 30);
  EXPECT_EQ(since("MPI_File_iread_all"), 31);
  EXPECT_EQ(since("MPI_Session_init"), 40);
  for (const Function* f : all()) {
    EXPECT_TRUE(std::ranges::count(std::vector{10, 12, 20, 22, 30, 31, 40}, f->since)) << f->name;
    const bool persistent = f->call == CallClass::collective_setup;
    if (persistent || (f->id == f->standard && f->call == CallClass::collective_start)) {
      EXPECT_EQ(f->since, persistent ? 40 : 30) << f->name;
    }
  }
  // MPI-3.1, chapter 16, "Removed Interfaces".
  std::set<std::string_view> removed;
  for (const Function* f : all())
    if (f->until != 0) removed.insert(f->name);
  EXPECT_EQ(removed, (std::set<std::string_view>{"MPI_Address", "MPI_Errhandler_create", "MPI_Errhandler_get",
                                                 "MPI_Errhandler_set", "MPI_Type_extent", "MPI_Type_hindexed",
                                                 "MPI_Type_hvector", "MPI_Type_lb", "MPI_Type_struct", "MPI_Type_ub"}));
}

// ---- every column, on functions of each class

struct Expected {
  const char* name;
  CallClass call;
  Subject subject;
  Form form;
  Flow flow;
  Completes completes = Completes::none;
  RmaOperation rma = RmaOperation::none;
  Operation operation = Operation::other;
};

TEST(MpiTable, EachClass) {
  using enum CallClass;
  using S = Subject;
  using F = Form;
  using R = RmaOperation;
  using C = Completes;
  using O = Operation;
  const Expected rows[] = {
      {"MPI_Wtime", other, S::other, F::blocking, Flow::none},
      {"MPI_Comm_rank", other, S::communicator, F::blocking, Flow::none},
      {"MPI_Get_count", other, S::point_to_point, F::blocking, Flow::none},
      {"MPI_Ssend", send, S::point_to_point, F::blocking, Flow::out, C::none, R::none, O::ssend},
      {"MPI_Mrecv", receive, S::point_to_point, F::blocking, Flow::in, C::none, R::none, O::mrecv},
      {"MPI_Sendrecv", send_receive, S::point_to_point, F::blocking, Flow::both, C::none, R::none, O::sendrecv},
      {"MPI_Isendrecv", send_receive_start, S::point_to_point, F::starts, Flow::both},
      {"MPI_Ibsend", send_start, S::point_to_point, F::starts, Flow::out, C::none, R::none, O::ibsend},
      {"MPI_Irecv", receive_start, S::point_to_point, F::starts, Flow::in, C::none, R::none, O::irecv},
      {"MPI_Rsend_init", request_setup, S::point_to_point, F::sets_up, Flow::none, C::none, R::none, O::send_init},
      {"MPI_Startall", start, S::point_to_point, F::starts, Flow::none},
      {"MPI_Probe", probe, S::point_to_point, F::blocking, Flow::none, C::none, R::none, O::probe},
      {"MPI_Iprobe", probe, S::point_to_point, F::polls, Flow::none, C::none, R::none, O::iprobe},
      {"MPI_Improbe", matched_probe, S::point_to_point, F::polls, Flow::none, C::none, R::none, O::improbe},
      {"MPI_Wait", wait_single, S::point_to_point, F::blocking, Flow::none, C::one, R::none, O::wait},
      {"MPI_Waitany", wait_multiple, S::point_to_point, F::blocking, Flow::none, C::any, R::none, O::waitany},
      {"MPI_Testsome", test, S::point_to_point, F::polls, Flow::none, C::some, R::none, O::testsome},
      {"MPI_Testall", test, S::point_to_point, F::polls, Flow::none, C::all, R::none, O::testall},
      {"MPI_Cancel", cancel, S::point_to_point, F::blocking, Flow::none, C::none, R::none, O::cancel},
      {"MPI_Request_free", request_free, S::point_to_point, F::blocking, Flow::none, C::none, R::none, O::request_free},
      {"MPI_Bcast", collective, S::collective, F::blocking, Flow::from_root, C::none, R::none, O::bcast},
      {"MPI_Barrier", collective, S::collective, F::blocking, Flow::none, C::none, R::none, O::barrier},
      {"MPI_Ireduce", collective_start, S::collective, F::starts, Flow::to_root, C::none, R::none, O::ireduce},
      {"MPI_Scan_init", collective_setup, S::collective, F::sets_up, Flow::none, C::none, R::none, O::collective_init},
      {"MPI_Init_thread", init, S::other, F::blocking, Flow::none, C::none, R::none, O::init},
      {"MPI_Finalize", finalize, S::other, F::blocking, Flow::none, C::none, R::none, O::finalize},
      {"MPI_Comm_idup", communicator, S::communicator, F::starts, Flow::none, C::none, R::none, O::comm_idup},
      {"MPI_Comm_spawn", communicator, S::communicator, F::blocking, Flow::none, C::none, R::none, O::comm_other},
      {"MPI_Cart_create", communicator, S::communicator, F::blocking, Flow::none, C::none, R::none, O::cart_create},
      {"MPI_Group_incl", group, S::communicator, F::blocking, Flow::none},
      {"MPI_Comm_set_name", group, S::communicator, F::blocking, Flow::none},
      {"MPI_Win_allocate", window_create, S::one_sided, F::blocking, Flow::none, C::none, R::win_create, O::win_create},
      {"MPI_Win_free", window_free, S::one_sided, F::blocking, Flow::none, C::none, R::win_free, O::win_free},
      {"MPI_Win_attach", window_attach, S::one_sided, F::blocking, Flow::none},
      {"MPI_Win_fence", fence, S::one_sided, F::blocking, Flow::none, C::none, R::fence, O::win_fence},
      {"MPI_Win_post", post, S::one_sided, F::blocking, Flow::none, C::none, R::post, O::win_post},
      {"MPI_Win_start", start_epoch, S::one_sided, F::blocking, Flow::none, C::none, R::start, O::win_start},
      {"MPI_Win_complete", complete, S::one_sided, F::blocking, Flow::none, C::none, R::complete, O::win_complete},
      {"MPI_Win_wait", wait_epoch, S::one_sided, F::blocking, Flow::none, C::none, R::wait, O::win_wait},
      {"MPI_Win_test", test_epoch, S::one_sided, F::polls, Flow::none, C::none, R::test, O::win_wait},
      {"MPI_Win_lock", lock, S::one_sided, F::blocking, Flow::none, C::none, R::lock, O::win_lock},
      {"MPI_Win_unlock", unlock, S::one_sided, F::blocking, Flow::none, C::none, R::unlock, O::win_unlock},
      {"MPI_Win_lock_all", passive_other, S::one_sided, F::blocking, Flow::none, C::none, R::lock, O::win_lock},
      {"MPI_Win_flush_local_all", passive_other, S::one_sided, F::blocking, Flow::none, C::none, R::flush_local,
       O::win_flush},
      {"MPI_Win_sync", passive_other, S::one_sided, F::blocking, Flow::none},
      {"MPI_Rput", put, S::one_sided, F::starts, Flow::out, C::none, R::put, O::rput},
      {"MPI_Get", get, S::one_sided, F::starts, Flow::in, C::none, R::get, O::get},
      {"MPI_Accumulate", accumulate, S::one_sided, F::starts, Flow::out, C::none, R::accumulate, O::accumulate},
      {"MPI_Fetch_and_op", accumulate, S::one_sided, F::starts, Flow::both, C::none, R::fetch_and_op, O::fetch_and_op},
      {"MPI_Rget_accumulate", accumulate, S::one_sided, F::starts, Flow::both, C::none, R::get_accumulate,
       O::rget_accumulate},
      {"MPI_File_open", file, S::file, F::blocking, Flow::none, C::none, R::none, O::file_open},
      {"MPI_File_iread_at", file, S::file, F::starts, Flow::none, C::none, R::none, O::file_read},
      {"MPI_File_write_ordered_begin", file, S::file, F::starts, Flow::none, C::none, R::none, O::file_write},
      {"MPI_File_read_all_end", file, S::file, F::blocking, Flow::none, C::one},
      {"MPI_Send_c", send, S::point_to_point, F::blocking, Flow::out},
      {"MPI_File_read_c", file, S::file, F::blocking, Flow::none, C::none, R::none, O::file_read},
  };
  for (const Expected& e : rows) {
    const Function& f = named(e.name);
    EXPECT_EQ(f.call, e.call) << e.name;
    EXPECT_EQ(f.subject, e.subject) << e.name;
    EXPECT_EQ(f.form, e.form) << e.name;
    EXPECT_EQ(f.flow, e.flow) << e.name;
    EXPECT_EQ(f.completes, e.completes) << e.name;
    EXPECT_EQ(f.rma, e.rma) << e.name;
    EXPECT_EQ(f.operation, e.operation) << e.name;
  }
  std::set<CallClass> seen;
  for (const Expected& e : rows) seen.insert(e.call);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(window_attach)) << "every class but none";
}

TEST(MpiTable, Files) {
  const auto file = [](const char* name) {
    const Function& f = named(name);
    return std::string{"-mrwps"[static_cast<int>(f.file)], f.by_all ? 'c' : '-', f.form == Form::starts ? 'l' : '-'};
  };
  EXPECT_EQ(file("MPI_File_read_at"), "r--");
  EXPECT_EQ(file("MPI_File_write_shared"), "w--");
  EXPECT_EQ(file("MPI_File_write_ordered"), "wc-");
  EXPECT_EQ(file("MPI_File_iread_at_all"), "rcl");
  EXPECT_EQ(file("MPI_File_iwrite_shared"), "w-l");
  EXPECT_EQ(file("MPI_File_read_at_all_begin"), "rcl");
  EXPECT_EQ(file("MPI_File_read_at_all_end"), "rc-");
  EXPECT_EQ(file("MPI_File_open"), "mc-");
  EXPECT_EQ(file("MPI_File_set_view"), "mc-");
  EXPECT_EQ(file("MPI_File_get_size"), "m--");
  EXPECT_EQ(file("MPI_File_sync"), "sc-");
  EXPECT_EQ(file("MPI_File_seek"), "p--");
  EXPECT_EQ(file("MPI_File_seek_shared"), "pc-");
  EXPECT_EQ(file("MPI_Send"), "---");
}

TEST(MpiTable, QuestionsAboutCalls) {
  for (const char* name : {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Session_init"})
    EXPECT_TRUE(named(name).is_bound) << name;
  for (const char* name : {"MPI_Info_create", "MPI_Send", "MPI_Abort"}) EXPECT_FALSE(named(name).is_bound) << name;
  for (const char* name : {"MPI_Comm_split", "MPI_Cart_create", "MPI_Type_commit", "MPI_Win_allocate_shared",
                           "MPI_Win_free", "MPI_File_open", "MPI_File_close"})
    EXPECT_TRUE(named(name).makes_objects) << name;
  for (const char* name : {"MPI_Send", "MPI_Win_fence", "MPI_File_write", "MPI_Barrier"})
    EXPECT_FALSE(named(name).makes_objects) << name;
  for (const char* name :
       {"MPI_Group_incl", "MPI_Type_commit", "MPI_Type_contiguous_c", "MPI_Info_set", "MPI_Op_create",
        "MPI_Comm_set_attr", "MPI_Win_create_keyval", "MPI_Comm_set_errhandler", "MPI_Comm_set_name", "MPI_Pack",
        "MPI_Comm_rank", "MPI_Alloc_mem", "MPI_Reduce_local", "MPI_Buffer_attach"})
    EXPECT_TRUE(named(name).is_local) << name;
  for (const char* name : {"MPI_Send", "MPI_Isend", "MPI_Comm_dup", "MPI_Buffer_detach", "MPI_Abort", "MPI_Win_free",
                           "MPI_Comm_call_errhandler", "MPI_Publish_name", "MPI_Unpublish_name", "MPI_Lookup_name",
                           "MPI_File_open", "MPI_Finalize", "MPI_Comm_spawn", "MPI_Win_lock", "MPI_Send_c"})
    EXPECT_FALSE(named(name).is_local) << name;
  EXPECT_TRUE(is_window_collective(named("MPI_Win_fence").call));
  EXPECT_FALSE(is_window_collective(named("MPI_Win_post").call));
  EXPECT_TRUE(is_rma_transfer(named("MPI_Fetch_and_op").call));
  EXPECT_TRUE(is_request_based(named("MPI_Rget")));
  EXPECT_FALSE(is_request_based(named("MPI_Get")));
  EXPECT_EQ(fetching_operation(named("MPI_Compare_and_swap")), RmaOperation::compare_and_swap);
  EXPECT_EQ(fetching_operation(named("MPI_Accumulate")), RmaOperation::none);
  for (const char* starts : {"MPI_Isend", "MPI_Start", "MPI_Ibcast", "MPI_Rput", "MPI_File_iread", "MPI_Isendrecv"})
    EXPECT_TRUE(starts_requests(named(starts))) << starts;
  for (const char* no : {"MPI_Init", "MPI_Put", "MPI_Comm_idup", "MPI_Grequest_start", "MPI_Send_init", "MPI_Wait"})
    EXPECT_FALSE(starts_requests(named(no))) << no;
  for (const char* polls : {"MPI_Iprobe", "MPI_Improbe", "MPI_Test", "MPI_Testany"})
    EXPECT_TRUE(polls_messages(named(polls))) << polls;
  for (const char* no : {"MPI_Win_test", "MPI_Probe", "MPI_Mprobe", "MPI_Wait", "MPI_Request_get_status"})
    EXPECT_FALSE(polls_messages(named(no))) << no;
  EXPECT_TRUE(named("MPI_Comm_rank").is_query);
  EXPECT_FALSE(named("MPI_Comm_dup").is_query);
  EXPECT_EQ(named("MPI_Send").extrae, 1);
  EXPECT_EQ(named("MPI_Get_accumulate").extrae, 172);
}

// ---- calls of pattern traces

TEST(MpiOperations, MeanWhatTheirFunctionDoes) {
  struct Row {
    Operation operation;
    const char* spelling;
    OperationClass kind;
    bool vector, starts;
    Operation blocking;
  };
  using K = OperationClass;
  using O = Operation;
  for (const auto& [operation, spelling, kind, vector, starts, blocking] :
       {Row{O::send, "send", K::send, false, false, O::send},
        Row{O::ibsend, "Ibsend", K::send, false, true, O::ibsend},
        Row{O::recv, "recv", K::receive, false, false, O::recv},
        Row{O::sendrecv_replace, "Sendrecv_replace", K::sendrecv, false, false, O::sendrecv_replace},
        Row{O::gatherv, "gatherv", K::rooted, true, false, O::gatherv},
        Row{O::igatherv, "Igatherv", K::rooted, true, true, O::gatherv},
        Row{O::barrier, "barrier", K::rootless, false, false, O::barrier},
        Row{O::reduce_scatter, "reduceScatter", K::rootless, true, false, O::reduce_scatter},
        Row{O::ineighbor_alltoallw, "Ineighbor_alltoallw", K::neighborhood, true, true, O::neighbor_alltoallw},
        Row{O::rput, "Rput", K::one_sided, false, true, O::rput},
        Row{O::put, "Put", K::one_sided, false, false, O::put},
        Row{O::comm_idup, "Comm_idup", K::communicator, false, true, O::comm_idup},
        Row{O::comm_other, "Comm_other", K::communicator, false, false, O::comm_other},
        Row{O::win_fence, "Win_fence", K::window, false, false, O::win_fence},
        Row{O::file_read, "File_read", K::file, false, false, O::file_read},
        Row{O::phase_begin, "phase_begin", K::phase, false, false, O::phase_begin},
        Row{O::collective_init, "Collective_init", K::local, false, false, O::collective_init},
        Row{O::start_send, "Start_send", K::send, false, true, O::start_send},
        Row{O::start_collective, "Start_collective", K::local, false, true, O::start_collective},
        Row{O::test, "Tested", K::local, false, false, O::test}}) {
    const OperationInfo& i = info(operation);
    EXPECT_EQ(i.spelling, spelling);
    EXPECT_EQ(i.kind, kind) << spelling;
    EXPECT_EQ(i.vector, vector) << spelling;
    EXPECT_EQ(starts_request(operation), starts) << spelling;
    EXPECT_EQ(blocking_form(operation), blocking) << spelling;
    EXPECT_EQ(operation_of_mpi_name(i.mpi_name), operation);
  }
  EXPECT_EQ(operation_of_mpi_name("send"), std::nullopt);
  EXPECT_EQ(function(Operation::rget).flow, Flow::in);
  EXPECT_EQ(function(Operation::start_send).call, CallClass::none);
}

}  // namespace
}  // namespace mora::mpi
