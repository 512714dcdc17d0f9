#include "predict/placement/placement.h"

#include <gtest/gtest.h>

namespace mora::predict {
namespace {

TEST(Placement, ReadsWhatIsPrinted) {
  const std::string lines = "0 0:0:b\n1 o2:1:a\n2 -:-:b\n";
  const Placement placement = parse_placement("\n##########OUTPUT##############\n" + lines, "P").value();
  EXPECT_EQ(placement.nodes, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(placement.node_of, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(placement.core, (std::vector<std::string>{"0", "o2", ""}));
  EXPECT_EQ(placement.slot, (std::vector<std::string>{"0", "1", ""}));
  EXPECT_EQ(placement_text(placement), lines);
}

TEST(Placement, ReadsRankfilesInAnyOrder) {
  const Placement placement =
      parse_placement("# by hand\nrank 1=bb slot=0:1-2 # why\nrank 0=aa  slot=1\n", "P").value();
  EXPECT_EQ(placement.nodes, (std::vector<std::string>{"bb", "aa"}));
  EXPECT_EQ(placement.node_of, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(placement.slot, (std::vector<std::string>{"1", "0:1-2"}));
  const std::string text = placement_text(placement);
  EXPECT_EQ(text, "0 -:1:aa\n1 -:0.1-2:bb\n");  // the colon of a slot would make 1-2:bb the node
  EXPECT_EQ(parse_placement(text, "P").value().node_of.size(), 2U);
  EXPECT_EQ(parse_placement(text, "P").value().nodes, (std::vector<std::string>{"aa", "bb"}));
}

TEST(Placement, NamesWithColons) {  // GetInfo cut names at colons
  EXPECT_EQ(parse_placement("0 1:2:fe80::1\n", "P").value().nodes[0], "fe80::1");
}

TEST(Placement, DamageIsNamed) {
  const auto error = [](const char* text) { return parse_placement(text, "P").error(); };
  EXPECT_EQ(error("").what, "the file places no rank");
  EXPECT_EQ(error("# only\n").where, "P");
  EXPECT_EQ(error("0 0:0:a\nx 0:0:a\n").where, "P:2:1");
  EXPECT_EQ(error("0  0:a\n").where, "P:1:4");
  EXPECT_EQ(error("0 :0:a\n").where, "P:1:3");
  EXPECT_EQ(error("0 0:0:\n").where, "P:1:3");
  EXPECT_EQ(error("0 0:0:a b\n").where, "P:1:9");
  EXPECT_EQ(error("0\n").where, "P:1:1");
  EXPECT_EQ(error("rank 0 slot=1\n").where, "P:1:6");
  EXPECT_EQ(error("rank 0=a slots=1\n").where, "P:1:10");
  EXPECT_EQ(error("rank 0=a\n").where, "P:1:6");
  EXPECT_EQ(error("0 0:0:a\n\n0 0:0:b\n").what, "rank 0 has a place already");
  EXPECT_EQ(error("0 0:0:a\n\n0 0:0:b\n").where, "P:3:1");
  EXPECT_EQ(error("rank 0=a slot=1\nrank  0=b slot=1\n").where, "P:2:7");
  EXPECT_EQ(error("0 0:0:a\n2 0:0:b\n").what, "rank 1 has no place");
  EXPECT_EQ(error("4294967295 0:0:a\n").what, "rank 0 has no place");
}

}  // namespace
}  // namespace mora::predict
