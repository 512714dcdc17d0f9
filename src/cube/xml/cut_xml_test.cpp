#include "cube/xml/cut_xml.h"

#include <gtest/gtest.h>

namespace mora::cube {
namespace {

constexpr std::string_view many[] = {"p", "c"};

std::optional<CutXml> cut(std::string_view xml, std::size_t run_bytes) { return cut_out(xml, "s", many, run_bytes); }

/// The text that was cut, from its parts.
std::string together(const CutXml& parts) {
  std::string text = parts.rest;
  for (std::size_t i = 0; i < parts.runs.size(); ++i) {
    const std::string mark = "<cut run=\"" + std::to_string(i) + "\"/>";
    const std::size_t at = text.find(mark);
    EXPECT_NE(at, std::string::npos) << mark << " in " << parts.rest;
    text.replace(at, mark.size(), parts.runs[i]);
  }
  return text;
}

TEST(CutXml, ElementsSideBySideAreOneRun) {
  const std::string_view xml =
      "<?xml version=\"1.0\"?>\n<a><p>out</p><s><n><name>x</name>\n <p i=\"1\"><p/></p>\n<!-- <p> --><p i='>'/> <q/><p "
      "i=\"2\"></p ></n><c>1</c></s></a>\n";
  const auto parts = cut(xml, 1000);
  ASSERT_TRUE(parts);
  EXPECT_EQ(
      parts->rest,
      "<?xml version=\"1.0\"?>\n<a><p>out</p><s><n><name>x</name>\n <cut run=\"0\"/> <q/><cut run=\"1\"/></n><cut "
      "run=\"2\"/></s></a>\n");
  ASSERT_EQ(parts->runs.size(), 3u);
  EXPECT_EQ(parts->runs[0], "<p i=\"1\"><p/></p>\n<!-- <p> --><p i='>'/>");
  EXPECT_EQ(parts->runs[1], "<p i=\"2\"></p >");
  EXPECT_EQ(parts->runs[2], "<c>1</c>");
}

TEST(CutXml, ALongRunIsSeveral) {
  std::string xml = "<a><s>";
  for (int i = 0; i < 100; ++i) xml += "<p>" + std::to_string(1000 + i) + "</p>\n";
  xml += "</s></a>";
  for (const std::size_t bytes : {0, 1, 12, 40, 10000}) {
    const auto parts = cut(xml, bytes);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->runs.size(), bytes <= 1 ? 100u : bytes == 12 ? 50u : bytes == 40 ? 25u : 1u) << bytes;
    EXPECT_EQ(together(*parts), xml);
  }
}

TEST(CutXml, WhatItDoesNotUnderstandIsNotCut) {
  for (const std::string_view xml :
       {"", "text", " <a><s/></a>", "<a><s></a></s>", "<a><s><p></s></p></a>", "<a><s>", "<a", "<a b=\"", "<a><!-- ",
        "<a><![CDATA[", "<a></a></a>", "<!DOCTYPE a><a/>", "<a><s><cut run=\"0\"/></s></a>", "<a>< /a>", "<a></",
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a/>", "\xEF\xBB\xBF<a/>"})
    EXPECT_FALSE(cut(xml, 10)) << xml;
  EXPECT_FALSE(cut(std::string_view("<a><s>\0</s></a>", 15), 10));
  EXPECT_TRUE(cut("<?xml version=\"1.0\" encoding='utf-8'?><a><![CDATA[<s>]]></a>", 10));
}

/// Of every text that is cut, the parts together are the text.
TEST(CutXml, NothingIsLost) {
  const std::string good =
      "<a><s x='/'><p i=\"1\"><n>1</n></p><p/>\n<q><c/><c>2</c></q><![CDATA[<p>]]><?x <p> ?></s></a>";
  ASSERT_TRUE(cut(good, 1));
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char other : std::string("<>/ ap\"'-!?")) {
      std::string changed = good;
      changed[i] = other;
      for (const std::size_t bytes : {0, 1000}) {
        if (const auto parts = cut(changed, bytes)) {
          EXPECT_EQ(together(*parts), changed);
        }
      }
    }
  }
}

}  // namespace
}  // namespace mora::cube
