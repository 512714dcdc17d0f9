#include "predict/pattern/text/record.h"

#include <gtest/gtest.h>

namespace mora::predict {
namespace {

TextRecord read(const std::string& line) {
  TextRecord record;
  Error error;
  EXPECT_TRUE(parse_text_record(line, record, error)) << line << ": " << error.where << " " << error.why;
  return record;
}

Error refused(const std::string& line) {
  TextRecord record;
  Error error;
  EXPECT_FALSE(parse_text_record(line, record, error)) << line;
  return error;
}

// Lines of Kotomatas 2018, Figure 4.3 (T-RING).
TEST(TextRecord, PointToPoint) {
  const auto send = read("0 send 1 3 (of 4 bytes) 1 on comm MPI_COMM_WORLD");
  EXPECT_EQ(send.category, RecordCategory::point_to_point);
  EXPECT_EQ(send.operation, Operation::send);
  EXPECT_EQ(send.spelling, "send");
  EXPECT_EQ(send.sender, 0);
  EXPECT_EQ(send.peer, 1);
  EXPECT_EQ(send.count, 3);
  EXPECT_EQ(send.size, 4U);
  EXPECT_EQ(send.type, 1);
  EXPECT_EQ(send.communicator, "MPI_COMM_WORLD");
  EXPECT_EQ(read("7 Irecv 3 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD").operation, Operation::irecv);
  EXPECT_EQ(read("7 send -2 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD").peer, -2);
}

TEST(TextRecord, AnyCaseAndSpelling) {
  EXPECT_EQ(read("0 Allreduce 1 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1").operation, Operation::allreduce);
  EXPECT_EQ(read("0 allReduce 1 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1").operation, Operation::allreduce);
  EXPECT_EQ(read("0 ALLREDUCE 1 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1").operation, Operation::allreduce);
  EXPECT_EQ(read("0 MPI_Send 1 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD").operation, Operation::send);
  EXPECT_EQ(read("0 Recv 1 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD").operation, Operation::recv);
  EXPECT_EQ(read("0 Waitall").operation, Operation::waitall);
  EXPECT_EQ(read("0 Reduce_scatter 5 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1").operation,
            Operation::reduce_scatter);
  EXPECT_EQ(read("0 Reduce_scatter_block 5 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1").operation,
            Operation::reduce_scatter_block);
}

// 8.2.1: the operation field decides, no word anywhere else.
TEST(TextRecord, SendrecvIsNoReceive) {
  const auto sent = read("3 Sendrecv(s) 4 3 (of 8 bytes) 0 on comm MPI_COMM_WORLD");
  EXPECT_EQ(sent.category, RecordCategory::point_to_point);
  EXPECT_EQ(sent.operation, Operation::sendrecv);
  EXPECT_EQ(sent.spelling, "Sendrecv(s)");
  EXPECT_EQ(read("3 Sendrecv(r) 4 3 (of 8 bytes) 0 on comm MPI_COMM_WORLD").spelling, "Sendrecv(r)");
  EXPECT_EQ(refused("3 Sendrecv 4 3 (of 8 bytes) 0 on comm MPI_COMM_WORLD").where, "column 3");
  EXPECT_EQ(refused("3 send(s) 4 3 (of 8 bytes) 0 on comm MPI_COMM_WORLD").where, "column 3");
}

TEST(TextRecord, NamesMayHoldAnything) {
  for (const std::string name : {"init", "free", "wait", "split", "Phase", "recv", "my init comm",
                                 "Comm split. color=0", "of type 3", "row 3", "Phase x start."}) {
    EXPECT_EQ(read("0 send 1 1 (of 4 bytes) 1 on comm " + name).communicator, name);
    const auto all = read("0 allReduce 1 (of 4 bytes) of type 1 on comm " + name + " 17");
    EXPECT_EQ(all.communicator, name);
    EXPECT_EQ(all.id, 17);
    const auto root = read("0 bcast 1 (of 4 bytes) 2 of type 1 on comm " + name + " 5");
    EXPECT_EQ(root.communicator, name);
    EXPECT_EQ(root.local_sender, 5);
    EXPECT_EQ(root.peer, 2);
    EXPECT_EQ(read("Comm " + name + " free.").name, name);
    const auto made = read("0 Comm split. color=0, key=7.New comm " + name + " of size 4");
    EXPECT_EQ(made.communicator, name);
    EXPECT_EQ(made.members, 4U);
    EXPECT_EQ(read("Phase " + name + " start.").name, name);
    EXPECT_EQ(read("Phase " + name + " end.").category, RecordCategory::phase_end);
  }
}

TEST(TextRecord, Rooted) {
  const auto world = read("5 bcast 5 (of 8 bytes) 1 of type 0 on comm MPI_COMM_WORLD");
  EXPECT_EQ(world.category, RecordCategory::rooted);
  EXPECT_EQ(world.peer, 1);
  EXPECT_EQ(world.local_sender, -1);
  EXPECT_EQ(world.type, 0);
  EXPECT_EQ(world.second_type, -1);
  const auto two = read("1 gather 3 (of 4 bytes) 0 of types 1, 101 on comm mini_comm_0_1 2");
  EXPECT_EQ(two.second_type, 101);
  EXPECT_FALSE(two.contiguous());
  EXPECT_EQ(two.local_sender, 2);
  EXPECT_TRUE(read("0 send 1 1 (of 40 bytes) 100 on comm MPI_COMM_WORLD").contiguous());
  EXPECT_EQ(refused("1 gather 3 (of 4 bytes) 0 of type 1 on comm mini_comm_0_1").where, "column 45");
}

TEST(TextRecord, Vectors) {
  const auto gatherv = read("1 gatherv min=1 median=2.500000 max=4 (of 4 bytes) 0 of type 1 on comm MPI_COMM_WORLD");
  EXPECT_EQ(gatherv.category, RecordCategory::rooted_vector);
  EXPECT_EQ(gatherv.min, 1);
  EXPECT_EQ(gatherv.median_twice, 5);
  EXPECT_EQ(gatherv.max, 4);
  const auto all =
      read("1 alltoAllv min=1 median=2.000000 max=4 (of 4 bytes) of types 1, 101 on comm MPI_COMM_WORLD 9");
  EXPECT_EQ(all.category, RecordCategory::rootless_vector);
  EXPECT_EQ(all.median_twice, 4);
  EXPECT_EQ(all.id, 9);
  EXPECT_EQ(read("1 alltoAllv min=1 median=3 max=4 (of 4 bytes) of type 1 on comm w 9").median_twice, 6);
  EXPECT_EQ(refused("1 alltoAllv min=1 median=2.333333 max=4 (of 4 bytes) of type 1 on comm w 9").where, "column 28");
}

// 8.2.3: both forms.
TEST(TextRecord, ReduceScatter) {
  EXPECT_EQ(
      read("0 reduceScatter min=1 median=1.000000 max=1 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1").category,
      RecordCategory::rootless_vector);
  EXPECT_EQ(read("0 reduceScatter 2 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1").category,
            RecordCategory::rootless);
}

TEST(TextRecord, AllGatherHasAReceiveGroup) {
  const auto r = read("2 allGather 3 (of 4 bytes) of types 1, 0 6 (of 8 bytes) on comm MPI_COMM_WORLD 4");
  EXPECT_EQ(r.count, 3);
  EXPECT_EQ(r.receive_count, 6);
  EXPECT_EQ(r.receive_size, 8U);
  EXPECT_EQ(r.id, 4);
  EXPECT_EQ(r.extension, "");
  EXPECT_EQ(read("2 allGather 3 (of 4 bytes) of type 1 6 (of 8 bytes) cost 3 on comm w 4").extension, "cost 3");
  EXPECT_EQ(read("2 allGather 3 (of 4 bytes) of type 1 on comm w 4").receive_count, -1);
}

// The extension: what stands between the type group and the last "on comm".
TEST(TextRecord, ExtensionSlot) {
  const auto p2p = read("0 send 1 1 (of 4 bytes) 1 tag 77 on comm b on comm MPI_COMM_WORLD");
  EXPECT_EQ(p2p.extension, "tag 77 on comm b");
  EXPECT_EQ(p2p.communicator, "MPI_COMM_WORLD");
  const auto r = read("0 alltoAllv min=1 median=2.0 max=4 (of 4 bytes) of types 1, 2 [1,2,3] on comm MPI_COMM_WORLD 3");
  EXPECT_EQ(r.extension, "[1,2,3]");
  EXPECT_EQ(r.id, 3);
}

TEST(TextRecord, Communicators) {
  const auto split = read("0 Comm split. color=0, key=-3.New comm mini_comm_0_0 of size 4");
  EXPECT_EQ(split.category, RecordCategory::communicator);
  EXPECT_EQ(split.operation, Operation::comm_split);
  EXPECT_EQ(split.color, 0);
  EXPECT_EQ(split.key, -3);
  EXPECT_EQ(split.members, 4U);
  EXPECT_EQ(read("0 Comm dup. color=0, key=3.New comm mini_comm_1_0 of size 4").operation, Operation::comm_dup);
  EXPECT_EQ(read("0 Comm Cart_create. color=0, key=3.New comm c of size 4").operation, Operation::cart_create);
  EXPECT_TRUE(read("Comm split invoked by process but with color=MPI_UNDEFINED").undefined_color);
  EXPECT_TRUE(read("4 Comm split invoked by process but with color=MPI_UNDEFINED").undefined_color);
  const auto freed = read("Comm mini_comm_0_0 free.");
  EXPECT_EQ(freed.operation, Operation::comm_free);
  EXPECT_EQ(freed.communicator, "mini_comm_0_0");
  EXPECT_EQ(refused("0 Comm split. color=0 key=7.New comm x of size 4").where, "column 22");
  EXPECT_EQ(refused("0 Comm free. color=0, key=7.New comm x of size 4").where, "column 8");
}

TEST(TextRecord, WithoutMovement) {
  for (const std::string line :
       {"0 init 1", "0 finalize", "0 wait", "0 waitall", "0 Waitany", "Tested 1.", "0 barrier on comm MPI_COMM_WORLD",
        "0 compute 12345", "0 compute 12345 0.25", "3 Win_fence on comm MPI_COMM_WORLD",
        "0 File_write 5 (of 8 bytes) of type 0 on comm MPI_COMM_WORLD"})
    EXPECT_EQ(read(line).category, RecordCategory::ignored) << line;
  EXPECT_EQ(read("Tested 0.").flag, 0);
  EXPECT_EQ(read("0 barrier on comm a b").communicator, "a b");
  EXPECT_EQ(read("2 Irecv 5").peer, 5);  // MinI's short record
}

TEST(TextRecord, ErrorsSayColumnAndWhatWasExpected) {
  const auto unknown = refused("0 sned 1 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD");
  EXPECT_EQ(unknown.kind, ErrorKind::unreadable);
  EXPECT_EQ(unknown.where, "column 3");
  EXPECT_NE(unknown.why.find("expected an operation"), std::string::npos);
  EXPECT_EQ(refused("0 send x 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD").where, "column 8");
  EXPECT_EQ(refused("0 send 1 1 (of 4 byte) 1 on comm MPI_COMM_WORLD").where, "column 17");
  EXPECT_EQ(refused("0 send 1 -1 (of 4 bytes) 1 on comm MPI_COMM_WORLD").where, "column 10");
  EXPECT_EQ(refused("0 send 1 1 (of 4 bytes) 1").where, "column 26");
  EXPECT_EQ(refused("0 allReduce 1 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD").where, "column 46");
  EXPECT_EQ(refused("").where, "column 1");
  EXPECT_EQ(refused("MINI STARTING!(buffersize=1)").where, "column 1");
  EXPECT_EQ(refused("Phase x").where, "column 8");
  EXPECT_EQ(refused("0 wait 3").where, "column 8");
  EXPECT_EQ(refused("99999999999999999999 wait").where, "column 1");
}

TEST(TextRecord, AReusedRecordKeepsNothing) {
  TextRecord record;
  Error error;
  ASSERT_TRUE(
      parse_text_record("5 allGather 3 (of 4 bytes) of types 1, 101 6 (of 8 bytes) ext on comm x 4", record, error));
  ASSERT_TRUE(parse_text_record("0 wait\r", record, error));
  std::string text;
  append_text_record(record, text);
  EXPECT_EQ(text, "0 wait\n");
  EXPECT_TRUE(record.contiguous());
  EXPECT_EQ(record.id, -1);
}

TEST(TextRecord, RoundTrip) {
  for (const std::string line :
       {"0 init 1",
        "0 finalize",
        "0 wait",
        "0 waitall",
        "0 Waitany",
        "Tested 1.",
        "Tested 0.",
        "0 barrier on comm MPI_COMM_WORLD",
        "0 send 1 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD",
        "0 Bsend 1 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD",
        "7 Irecv 3 1 (of 4 bytes) 1 on comm a b 3",
        "2 Irecv 5",
        "3 Sendrecv(s) 4 3 (of 8 bytes) 0 on comm MPI_COMM_WORLD",
        "3 Sendrecv(r) 4 3 (of 8 bytes) 0 on comm MPI_COMM_WORLD",
        "5 bcast 5 (of 8 bytes) 1 of type 0 on comm MPI_COMM_WORLD",
        "1 gather 3 (of 4 bytes) 0 of types 1, 101 on comm mini_comm_0_1 2",
        "1 gatherv min=1 median=2.500000 max=4 (of 4 bytes) 0 of type 1 on comm MPI_COMM_WORLD",
        "1 alltoAllv min=1 median=2.000000 max=4 (of 4 bytes) of types 1, 101 on comm MPI_COMM_WORLD 9",
        "0 reduceScatter min=1 median=1.000000 max=1 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1",
        "0 reduceScatter 2 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1",
        "0 allReduce 1 (of 4 bytes) of type 1 on comm mini_comm_0_0 1",
        "2 allGather 3 (of 4 bytes) of types 1, 0 6 (of 8 bytes) on comm MPI_COMM_WORLD 4",
        "2 allGather 3 (of 4 bytes) of type 1 6 (of 8 bytes) x y on comm w 4",
        "0 send 1 1 (of 4 bytes) 1 tag 77 on comm MPI_COMM_WORLD",
        "0 Comm split. color=0, key=-3.New comm mini_comm_0_0 of size 4",
        "0 Comm Cart_create. color=0, key=3.New comm c of size 4",
        "Comm split invoked by process but with color=MPI_UNDEFINED",
        "Comm mini_comm_0_0 free.",
        "Phase round0 start.",
        "Phase a b/c end.",
        "0 compute 12345 0.25",
        "3 Win_fence on comm MPI_COMM_WORLD",
        "3 Put 1 10 (of 8 bytes) 0 on comm MPI_COMM_WORLD",
        "0 File_write 5 (of 8 bytes) of type 0 on comm MPI_COMM_WORLD",
        "0 Ibcast 5 (of 8 bytes) 1 of type 0 on comm MPI_COMM_WORLD",
        "0 Neighbor_alltoall 5 (of 8 bytes) of type 0 on comm c 3",
        "0 allReduce 1 (of 4 bytes) of type 101 on comm  -1"}) {
    std::string text;
    append_text_record(read(line), text);
    EXPECT_EQ(text, line + "\n");
  }
}

// Every prefix, and every character replaced: read or refused, never worse.
TEST(TextRecord, DamagedLines) {
  for (const std::string line : {"2 allGather 3 (of 4 bytes) of types 1, 0 6 (of 8 bytes) on comm MPI_COMM_WORLD 4",
                                 "0 Comm split. color=0, key=-3.New comm mini_comm_0_0 of size 4",
                                 "1 gatherv min=1 median=2.500000 max=4 (of 4 bytes) 0 of type 1 on comm x 1",
                                 "Phase a start.", "Tested 1.", "Comm x free."}) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      TextRecord record;
      Error error;
      static_cast<void>(parse_text_record(line.substr(0, i), record, error));
      for (const char c : {'\0', ' ', '9', '-', '.', '\xff', 'a'}) {
        std::string other = line;
        other[i] = c;
        TextRecord read;
        Error wrong;
        EXPECT_TRUE(parse_text_record(other, read, wrong) || wrong.where.starts_with("column "));
      }
    }
  }
}

}  // namespace
}  // namespace mora::predict
