/// Which reader a path comes to; what the readers make of it is tested beside them.
#include "trace/readers/open_trace.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "support/otf2/sample_archive.h"
#include "support/scratch_directory.h"
#include "support/trace/paraver_samples.h"

namespace mora::trace {
namespace {

TEST(OpenTrace, FindsTheAnchorFileOfADirectory) {
  const SampleArchive sample;
  EXPECT_EQ(anchor_file(sample.directory()), sample.directory() + "/traces.otf2");
  const auto source = open_trace(sample.directory());
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ((*source)->format().substr(0, 4), "OTF2");
}

TEST(OpenTrace, FindsTheFormatFromTheContentOfAPlainOrPackedFile) {
  const ScratchDirectory directory;
  const std::string plain = directory.write("a.prv", paraver::sample_prv);
  const std::string packed = plain + ".gz";
  gzFile file = gzopen(packed.c_str(), "wb");
  gzputs(file, paraver::sample_prv);
  gzclose(file);
  for (const std::string& path : {plain, packed}) {
    const auto source = open_trace(path);
    ASSERT_TRUE(source) << source.error().text();
    EXPECT_EQ((*source)->format(), "Paraver");
    EXPECT_FALSE(open_trace(path, "alog")) << "the format that is named is taken";
  }
}

TEST(OpenTrace, SaysWhatIsWrong) {
  EXPECT_NE(open_trace("/nonexistent").error().why.find("no such file"), std::string::npos);
  EXPECT_EQ(open_trace("/proc/self/status").error().why, "it is in no format that Mora knows");
  EXPECT_EQ(open_trace("/proc/self/status", "vtf3").error().kind, ErrorKind::usage);
  EXPECT_NE(open_trace("/nonexistent", "vtf3").error().why.find("no such file"), std::string::npos);
}

}  // namespace
}  // namespace mora::trace
