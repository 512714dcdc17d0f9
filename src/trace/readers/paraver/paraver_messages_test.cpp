// Where the halves of messages are put: into the calls of their kind, wherever their line stands in the file.
#include <gtest/gtest.h>

#include "support/trace/paraver_text.h"

namespace mora::trace {
namespace paraver_source_test {

// A send that takes no time, one that follows at once, and a wait for two messages: wherever the communication lines
// stand in the file, each half is in its call.
TEST(Paraver, CommunicationLinesMayStandAnywhere) {
  const std::vector<std::string> calls = {
      "2:1:1:1:1:10:50000001:1", "2:1:1:1:1:10:50000001:0", "2:1:1:1:1:10:50000001:1", "2:1:1:1:1:20:50000001:0",
      "2:1:1:1:1:20:50000001:1", "2:1:1:1:1:25:50000001:0", "2:2:1:2:1:0:50000001:2",  "2:2:1:2:1:30:50000001:0",
      "2:2:1:2:1:30:50000001:2", "2:2:1:2:1:40:50000001:0", "2:2:1:2:1:41:50000001:2", "2:2:1:2:1:42:50000001:0",
      "2:1:1:1:1:50:60000019:1", "2:1:1:1:1:60:60000019:0"};
  const std::vector<std::string> messages = {"3:1:1:1:1:10:10:2:1:2:1:0:30:100:1",
                                             "3:1:1:1:1:10:10:2:1:2:1:30:40:200:2",
                                             "3:1:1:1:1:20:20:2:1:2:1:41:42:300:3"};
  const std::string sender =
      "+MPI_Send@10 send(1,#1,100)@10 -MPI_Send@10 +MPI_Send@10 send(1,#2,200)@10 -MPI_Send@20 "
      "+MPI_Send@20 send(1,#3,300)@20 -MPI_Send@25 +event 60000019 value 1@50 -event 60000019 value 1@60";
  const std::string receiver =
      "+MPI_Recv@0 receive(0,#1,100)@30 -MPI_Recv@30 +MPI_Recv@30 receive(0,#2,200)@40 -MPI_Recv@40 +MPI_Recv@41 "
      "receive(0,#3,300)@42 -MPI_Recv@42";
  const auto n = calls.size();
  for (std::size_t first = 0; first <= n; ++first) {
    for (std::size_t second = first; second <= n; ++second) {
      for (std::size_t third = second; third <= n; ++third) {
        std::string body;
        for (std::size_t line = 0; line <= n; ++line) {
          if (line == first) body += messages[0] + "\n";
          if (line == second) body += messages[1] + "\n";
          if (line == third) body += messages[2] + "\n";
          if (line < n) body += calls[line] + "\n";
        }
        for (const std::size_t budget : {std::size_t{1} << 20, std::size_t{0}}) {  // 0: no half may wait in memory
          EventSpoolOptions options;
          options.budget = budget;
          const auto source = read(two_tasks(body), {}, {}, options);
          ASSERT_EQ(text(*source, 1), receiver) << body;
          ASSERT_EQ(text(*source, 0), sender) << body;
          ASSERT_EQ(source->quality().rows().size(), 1u) << body;  // missing-labels
        }
      }
    }
  }
}

TEST(Paraver, AReceiveWaitsForItsTime) {
  // The message line tells of a receive far ahead; in between the receiver does other things.
  const auto source =
      read(two_tasks("2:1:1:1:1:0:50000001:1\n3:1:1:1:1:0:5:2:1:2:1:50:90:8:1\n2:1:1:1:1:5:50000001:0\n"
                     "2:2:1:2:1:10:60000019:3\n2:2:1:2:1:20:60000019:0\n2:2:1:2:1:50:50000001:2\n"
                     "2:2:1:2:1:90:50000001:0\n"));
  EXPECT_EQ(text(*source, 1),
            "+event 60000019 value 3@10 -event 60000019 value 3@20 +MPI_Recv@50 receive(0,#1,8)@90 -MPI_Recv@90");
}

TEST(Paraver, TheOrderOfLinesAtOneTimeDoesNotMatter) {
  const std::string message = "3:1:1:1:1:10:20:2:1:2:1:10:20:8:1\n", enter = "2:1:1:1:1:10:50000001:1\n",
                    leave = "2:1:1:1:1:20:50000001:0\n", other = "2:2:1:2:1:10:50000001:2\n2:2:1:2:1:20:50000001:0\n";
  const std::string expected = "+MPI_Send@0 send(1,#1,8)@0 -MPI_Send@10";
  EXPECT_EQ(text(*read(two_tasks(message + enter + leave + other)), 0), expected);
  EXPECT_EQ(text(*read(two_tasks(enter + message + leave + other)), 0), expected);
  EXPECT_EQ(text(*read(two_tasks(enter + leave + message + other)), 0), expected);  // behind the end of its call
}

TEST(Paraver, CallsOfNoDurationKeepTheirMessages) {
  // Two sends one after the other at the same time: each has its own message line behind its beginning.
  const auto source =
      read(two_tasks("2:1:1:1:1:10:50000001:1\n3:1:1:1:1:10:10:2:1:2:1:10:20:8:1\n"
                     "2:1:1:1:1:10:50000001:0\n2:1:1:1:1:10:50000001:1\n"
                     "3:1:1:1:1:10:10:2:1:2:1:10:20:8:2\n2:1:1:1:1:10:50000001:0\n"));
  EXPECT_EQ(text(*source, 0), "+MPI_Send@0 send(1,#1,8)@0 -MPI_Send@0 +MPI_Send@0 send(1,#2,8)@0 -MPI_Send@0");
}

TEST(Paraver, SendrecvSendsFirstAndReceivesLast) {
  const auto source =
      read(two_tasks("2:1:1:1:1:10:50000001:41\n2:2:1:2:1:11:50000001:41\n"
                     "3:1:1:1:1:10:10:2:1:2:1:11:30:8:1\n3:2:1:2:1:11:11:1:1:1:1:10:30:9:1\n"
                     "2:1:1:1:1:30:50000001:0\n2:2:1:2:1:30:50000001:0\n"));
  EXPECT_EQ(text(*source, 0), "+MPI_Sendrecv@0 send(1,#1,8)@0 receive(1,#1,9)@20 -MPI_Sendrecv@20");
  EXPECT_EQ(text(*source, 1), "+MPI_Sendrecv@1 send(0,#1,9)@1 receive(0,#1,8)@20 -MPI_Sendrecv@20");
}

TEST(Paraver, PostingsAreFoundByTheirTimeNotTheirOrder) {
  const auto source =
      read(two_tasks("2:1:1:1:1:10:50000001:4\n2:1:1:1:1:11:50000001:0\n2:1:1:1:1:12:50000001:4\n"
                     "2:1:1:1:1:13:50000001:0\n2:1:1:1:1:20:50000001:6\n"
                     "3:2:1:2:1:20:20:1:1:1:1:13:40:8:1\n3:2:1:2:1:21:21:1:1:1:1:11:40:9:2\n"
                     "2:1:1:1:1:40:50000001:0\n"));
  EXPECT_EQ(
      text(*source, 0),
      "+MPI_Irecv@0 receive_requestr1@1 -MPI_Irecv@1 +MPI_Irecv@2 receive_requestr2@3 -MPI_Irecv@3 +MPI_Waitall@10 "
      "receive_complete(1,#1,8)r2@30 receive_complete(1,#2,9)r1@30 -MPI_Waitall@30");
}

// Eleven postings of which four may be kept: the place with most forgets its oldest. What it forgot is told only where
// a message would have needed it.
TEST(Paraver, OldPostingsAreForgottenWhenMemoryIsShort) {
  std::string body = "2:2:1:2:1:5:50000001:4\n2:2:1:2:1:6:50000001:0\n";
  for (int i = 10; i < 20; ++i) body += "2:1:1:1:1:" + std::to_string(i) + ":50000001:4:50000001:0\n";
  const auto message = [](int to, int from, int posted) {
    const std::string t = std::to_string(to), f = std::to_string(from);
    return "3:" + f + ":1:" + f + ":1:30:30:" + t + ":1:" + t + ":1:" + std::to_string(posted) +
           ":40:8:" + std::to_string(posted) + "\n";
  };
  const std::string waits = "2:1:1:1:1:30:50000001:6\n2:2:1:2:1:30:50000001:6\n",
                    ends = "2:1:1:1:1:40:50000001:0\n2:2:1:2:1:40:50000001:0\n";
  EventSpoolOptions little;
  little.budget = 1024;
  const auto requests = [](Source& source, LocationId location) {
    std::string found;
    for (const Event& e : read_events(source, location)) {
      if (e.kind == EventKind::receive_complete) found += std::to_string(e.tag) + "r" + std::to_string(e.request) + " ";
    }
    return found;
  };
  const std::string all = body + waits + message(1, 2, 10) + message(1, 2, 19) + message(2, 1, 6) + ends;
  const auto whole = read(two_tasks(all));
  EXPECT_EQ(requests(*whole, 0), "10r1 19r10 ");
  EXPECT_EQ(count_of(*whole, "forgotten-posting"), 0u);
  const auto forgetful = read(two_tasks(all), {}, {}, little);
  EXPECT_EQ(requests(*forgetful, 0), "10r11 19r10 ");
  EXPECT_EQ(requests(*forgetful, 1), "6r1 ");
  EXPECT_EQ(count_of(*forgetful, "forgotten-posting"), 1u);
  const auto unhurt = read(two_tasks(body + waits + message(1, 2, 19) + ends), {}, {}, little);
  EXPECT_EQ(requests(*unhurt, 0), "19r10 ");
  EXPECT_EQ(count_of(*unhurt, "forgotten-posting"), 0u);
}

TEST(Paraver, MessagesToNobodyAreCounted) {
  const auto source =
      read(two_tasks("3:1:1:1:1:10:20:3:1:3:1:10:20:8:1\n3:1:2:1:1:10:20:3:1:1:1:10:20:8:1\n"
                     "2:1:1:9:1:5:60000019:1\n2:1:1:1:2:5:60000019:1\n"));
  EXPECT_EQ(count_of(*source, "unknown-partner"), 2u);
  EXPECT_EQ(count_of(*source, "undefined-process"), 2u);
}

}  // namespace paraver_source_test
}  // namespace mora::trace
