// How far a VAMPIR file is read, as records come out of it.
#include "trace/readers/vampir/vampir_record.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/interruption.h"

namespace mora::trace::vampir {
namespace {

/// Header, then records of so many bytes of data.
std::string file_of(const std::vector<int>& lengths) {
  std::string file(magic);
  file.resize(file_header_size);
  for (const int length : lengths) {
    file += {static_cast<char>(length), 0, 0, 0, comment, 0};
    file.append(static_cast<std::size_t>(length), 'x');
  }
  return file;
}

TEST(Records, TellHowFarTheFileIsReadAtEachRecord) {
  const std::string file = file_of({10, 20, 30}) + "\x64";  // a record's header begins and the file ends
  const std::atomic<bool> go_on{false};
  ReadBytes bytes;
  const InterruptedBy told(go_on, &bytes);
  Records records(file);
  Record record;
  std::vector<std::uint64_t> seen;
  while (records.next(record)) seen.push_back(bytes.done);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 8 + 16, 8 + 16 + 26}));  // what came before the record
  EXPECT_EQ(bytes.done, file.size());
  EXPECT_TRUE(records.cut());
}

}  // namespace
}  // namespace mora::trace::vampir
