#include "cube/cubex.h"

#include "cube/algebra.h"

#include <zlib.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/file.h"
#include "cube/cubex_values.h"
#include "cube/tar.h"
#include "support/fault_stride.h"
#include "support/scratch_directory.h"

namespace mora::cube {
namespace {

class ScratchFile {
 public:
  std::string path() const { return directory_.path("a.cubex"); }
  void write(const std::string& bytes) const { directory_.write("a.cubex", bytes); }

 private:
  const ScratchDirectory directory_;
};

Result<CubexFile> read_bytes(const std::string& bytes) {
  return read_cubex_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

Cube sample() {
  Cube cube;
  cube.metrics = {{"time", "Time", "time", no_id, Unit::seconds, "all & <everything>"},
                  {"mpi", "MPI", "mpi", 0, Unit::seconds, ""},
                  {"late-sender", "Late Sender", "mpi_latesender", 1, Unit::seconds, ""},
                  {"visits", "Visits", "visits", no_id, Unit::occurrences, ""},
                  {"bytes-sent", "Bytes sent", "bytes_sent", no_id, Unit::bytes, ""},
                  {"empty", "Nothing here", "empty", no_id, Unit::seconds, ""}};
  cube.call_paths = {{no_id, "ring", CallPathKind::program, "", 0},
                     {0, "main", CallPathKind::user, "ring.c", 12},
                     {0, "MPI_Recv", CallPathKind::mpi, "ring.c", 42},
                     {1, "MPI_Recv", CallPathKind::mpi, "ring.c", 57},
                     {1, "compute MPI_Recv@ring.c:42 -> MPI_Recv@ring.c:57", CallPathKind::compute, "ring.c", 42},
                     {1, "MPI_Send", CallPathKind::mpi, "dir \"x\"/a&b.c", 3}};
  cube.locations = {{"rank 0", 0, 0, "n0"}, {"rank 1", 1, 0, "n1"}, {"rank 1 thread 1", 1, 1, "n1"}};
  cube.grids = {{"a & \"b\"", {{"x", 2, true}, {"", 3, false}}, {1, 0}, {1, 2, 0, 1}},
                {"", {{"", 2, false}}, {1}, {1}}};
  cube.attributes = {{"creator", "mora <0.1>"}, {"program", "ring"}};
  std::int64_t amount = 1;
  for (MetricId m = 0; m < 5; ++m) {
    for (CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      for (LocationId l = 0; l < 3; ++l) {
        if ((m + c + l) % 3 == 0) continue;
        cube.add(m, c, l, amount);
        amount = amount * 7 + 3;
        if (amount > (std::int64_t{1} << 52)) amount %= 1'000'003;
      }
    }
  }
  return cube;
}

void expect_same(const Cube& a, const Cube& b) {
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    EXPECT_EQ(a.metrics[i].id, b.metrics[i].id);
    EXPECT_EQ(a.metrics[i].name, b.metrics[i].name);
    EXPECT_EQ(a.metrics[i].unique_name, b.metrics[i].unique_name);
    EXPECT_EQ(a.metrics[i].parent, b.metrics[i].parent);
    EXPECT_EQ(a.metrics[i].unit, b.metrics[i].unit);
    EXPECT_EQ(a.metrics[i].description, b.metrics[i].description);
  }
  ASSERT_EQ(a.call_paths.size(), b.call_paths.size());
  for (std::size_t i = 0; i < a.call_paths.size(); ++i) {
    EXPECT_EQ(a.call_paths[i].parent, b.call_paths[i].parent);
    EXPECT_EQ(a.call_paths[i].name, b.call_paths[i].name);
    EXPECT_EQ(a.call_paths[i].kind, b.call_paths[i].kind);
    EXPECT_EQ(a.call_paths[i].file, b.call_paths[i].file);
    EXPECT_EQ(a.call_paths[i].line, b.call_paths[i].line);
  }
  ASSERT_EQ(a.locations.size(), b.locations.size());
  for (std::size_t i = 0; i < a.locations.size(); ++i) {
    EXPECT_EQ(a.locations[i].name, b.locations[i].name);
    EXPECT_EQ(a.locations[i].rank, b.locations[i].rank);
    EXPECT_EQ(a.locations[i].thread, b.locations[i].thread);
    EXPECT_EQ(a.locations[i].node, b.locations[i].node);
  }
  EXPECT_EQ(a.grids, b.grids);
  EXPECT_EQ(a.attributes, b.attributes);
  for (MetricId m = 0; m < a.metrics.size(); ++m) {
    for (CallPathId c = 0; c < a.call_paths.size(); ++c) {
      for (LocationId l = 0; l < a.locations.size(); ++l) EXPECT_EQ(a.get(m, c, l), b.get(m, c, l));
    }
  }
}

TEST(Cubex, RoundTripIsExactToTheNanosecond) {
  const ScratchFile file;
  ASSERT_TRUE(write_cubex(sample(), file.path()));
  const auto read = read_cubex(file.path());
  ASSERT_TRUE(read) << read.error().text();
  expect_same(sample(), read->cube);
  EXPECT_TRUE(read->quality.empty());
}

TEST(Cubex, NegativeCountsSurvive) {
  Cube cube = sample();
  cube.add(3, 0, 0, -1'000'000'000'000);
  const auto read = read_bytes(*cubex_bytes(cube));
  ASSERT_TRUE(read) << read.error().text();
  expect_same(cube, read->cube);
}

TEST(Cubex, EveryNanosecondCountUpToFiftyTwoDaysComesBack) {
  for (const std::int64_t ns :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{999'999'999}, std::int64_t{123456789012345},
        (std::int64_t{1} << 52) - 1, -(std::int64_t{1} << 52) + 3}) {
    const double seconds = seconds_as_double(ns);
    std::byte bytes[8];
    std::memcpy(bytes, &seconds, 8);
    const ConvertedCell cell = cell_from_bytes(bytes, {NumberKind::floating, 8}, false, Unit::seconds);
    EXPECT_EQ(cell.value, ns);
    EXPECT_EQ(cell.how, Conversion::exact);
  }
}

TEST(Cubex, SecondsAreCorrectlyRounded) {
  for (const std::int64_t ns : {INT64_MAX, INT64_MIN, std::int64_t{9007199254740993}, std::int64_t{4611686018427387905},
                                std::int64_t{333333333}}) {
    EXPECT_EQ(seconds_as_double(ns), std::strtod(seconds_exact(ns).c_str(), nullptr)) << ns;
  }
}

TEST(Cubex, OddNumbersAreClampedAndSaidSo) {
  const auto convert = [](double v, Unit unit) {
    std::byte bytes[8];
    std::memcpy(bytes, &v, 8);
    return cell_from_bytes(bytes, {NumberKind::floating, 8}, false, unit);
  };
  EXPECT_EQ(convert(NAN, Unit::seconds).how, Conversion::not_a_number);
  EXPECT_EQ(convert(INFINITY, Unit::seconds).value, INT64_MAX);
  EXPECT_EQ(convert(-1e300, Unit::occurrences).how, Conversion::too_large);
  EXPECT_EQ(convert(2.5, Unit::occurrences).how, Conversion::rounded);
  EXPECT_EQ(convert(1.5e-10, Unit::seconds).how, Conversion::rounded);
  EXPECT_EQ(convert(2.0, Unit::bytes).how, Conversion::exact);
  const std::uint64_t all_ones = UINT64_MAX;
  std::byte bytes[8];
  std::memcpy(bytes, &all_ones, 8);
  EXPECT_EQ(cell_from_bytes(bytes, {NumberKind::unsigned_integer, 8}, false, Unit::bytes).how, Conversion::too_large);
  EXPECT_EQ(cell_from_bytes(bytes, {NumberKind::signed_integer, 2}, false, Unit::bytes).value, -1);
}

// Files as other tools write them, built byte by byte.
std::string member(const std::string& name, const std::string& content) {
  return tar_header(name, content.size()) + content + tar_padding(content.size());
}

std::string number(std::uint64_t value, std::size_t size, bool big_endian) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[big_endian ? size - 1 - i : i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

std::string number(double value, bool big_endian) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, 8);
  return number(bits, 8, big_endian);
}

/// main(0) > {a(1) > {c(2)}, b(3)}; two locations, given out of order. Depth first: 0 1 2 3. Wide: 0 1 3 2.
std::string foreign_anchor(const std::string& type, const std::string& dtype, const std::string& uom = "sec") {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\"><attr key=\"Creator\" value=\"Score-P "
         "8.4\"/>"
         "<metrics><metric id=\"7\" type=\"" +
         type + "\"><disp_name>T</disp_name><uniq_name>t</uniq_name><dtype>" + dtype + "</dtype><uom>" + uom +
         "</uom><url/><descr/></metric></metrics><program>"
         "<region id=\"5\" mod=\"m.c\" begin=\"3\" end=\"-1\"><name>main</name><paradigm>compiler</paradigm>"
         "<role>function</role></region>"
         "<region id=\"6\" mod=\"MPI\" begin=\"-1\" end=\"-1\"><name>MPI_Send</name><paradigm>mpi</paradigm>"
         "<role>point2point</role></region>"
         "<cnode id=\"0\" calleeId=\"5\"><cnode id=\"1\" calleeId=\"5\"><cnode id=\"2\" calleeId=\"6\"/></cnode>"
         "<cnode id=\"3\" calleeId=\"6\"/></cnode></program><system><systemtreenode Id=\"0\"><name>cluster</name>"
         "<class>machine</class><systemtreenode Id=\"1\"><name>n7</name><class>node</class>"
         "<locationgroup Id=\"0\"><name>MPI Rank 1</name><rank>1</rank><type>process</type><location Id=\"1\">"
         "<name>Master thread</name><rank>0</rank><type>thread</type></location></locationgroup>"
         "<locationgroup Id=\"1\"><name>MPI Rank 0</name><rank>0</rank><type>process</type><location Id=\"0\">"
         "<name>Master thread</name><rank>0</rank><type>thread</type></location></locationgroup>"
         "</systemtreenode></systemtreenode></system></cube>";
}

std::string index_bytes(bool big_endian, int format, const std::vector<std::uint32_t>& rows = {}) {
  std::string out = "CUBEX.INDEX" + number(1, 4, big_endian) + number(0, 2, big_endian) + static_cast<char>(format);
  if (format == 1) {
    out += number(rows.size(), 4, big_endian);
    for (const std::uint32_t row : rows) out += number(row, 4, big_endian);
  }
  return out;
}

std::string archive(const std::string& anchor, const std::string& index, const std::string& data) {
  return member("7.data", data) + member("7.index", index) + member("anchor.xml", anchor) + tar_end();
}

TEST(Cubex, ReadsSparseRowsInDepthFirstOrder) {
  for (const bool big : {false, true}) {
    const auto read =
        read_bytes(archive(foreign_anchor("EXCLUSIVE", "DOUBLE"), index_bytes(big, 1, {2, 0}),
                           "CUBEX.DATA" + number(0.25, big) + number(0.5, big) + number(1.0, big) + number(2.0, big)));
    ASSERT_TRUE(read) << read.error().text();
    const Cube& cube = read->cube;
    EXPECT_EQ(cube.metrics[0].id, "t");
    EXPECT_EQ(cube.call_paths[2].kind, CallPathKind::mpi);
    EXPECT_EQ(cube.locations[0].rank, 0u);
    EXPECT_EQ(cube.locations[1].rank, 1u);
    EXPECT_EQ(cube.locations[0].node, "n7");
    EXPECT_EQ(cube.get(0, 2, 0), 250'000'000);
    EXPECT_EQ(cube.get(0, 2, 1), 500'000'000);
    EXPECT_EQ(cube.get(0, 0, 1), 2'000'000'000);
    EXPECT_EQ(cube.total(0), 3'750'000'000);
  }
}

TEST(Cubex, ReadsTopologiesOfLocationsAndProcesses) {
  std::string anchor = foreign_anchor("EXCLUSIVE", "DOUBLE");
  anchor.insert(
      anchor.find("</system>"),
      "<topologies><cart name=\"Grid &lt;2&gt;\" ndims=\"2\"><dim name=\"x\" size=\"2\" periodic=\"true\"/>"
      "<dim size=\"3\" periodic=\"false\"/><coord locId=\"1\">1 2</coord><coord lgId=\"1\">0 1</coord>"
      "<coord lgId=\"1\">1 1</coord></cart>"
      "<cart name=\"outside\" ndims=\"1\"><dim size=\"2\" periodic=\"false\"/><coord locId=\"0\">2</coord>"
      "<coord locId=\"9\">0</coord><coord locId=\"1\">1 1</coord><coord locId=\"1\"></coord></cart>"
      "<cart name=\"machines\" ndims=\"1\"><dim size=\"1\" periodic=\"false\"/><coord stnId=\"1\">0</coord></cart>"
      "</topologies>");
  const auto read = read_bytes(archive(anchor, index_bytes(false, 1, {}), "CUBEX.DATA"));
  ASSERT_TRUE(read) << read.error().text();
  const std::vector<CartesianGrid> expected{{"Grid <2>", {{"x", 2, true}, {"", 3, false}}, {1, 0}, {1, 2, 0, 1}}};
  EXPECT_EQ(read->cube.grids, expected);
}

TEST(Cubex, ResultsOfCube3AreNamed) {
  const auto read = read_bytes("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"3.0\">\n</cube>\n");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().what, "this is a result of CUBE 3");
  EXPECT_NE(read.error().help.find("cube3to4"), std::string::npos);
}

TEST(Cubex, NoNumberOfRowsIsNoRow) {
  const std::string header = index_bytes(false, 1).substr(0, 18), anchor = foreign_anchor("EXCLUSIVE", "DOUBLE");
  for (const char* data : {"CUBEX.DATA", "ZCUBEX.DATA"}) {
    const auto read = read_bytes(archive(anchor, header, data));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->cube.call_paths.size(), 4u);
    EXPECT_EQ(read->cube.total(0), 0);
  }
  EXPECT_FALSE(read_bytes(archive(anchor, header, "CUBEX.DATA" + number(1.0, false))));
  EXPECT_FALSE(read_bytes(archive(anchor, index_bytes(false, 1, {2}), "CUBEX.DATA")));
}

TEST(Cubex, ReadsDenseInclusiveRowsInWideOrderAsExclusive) {
  // wide order: main, a, b, c
  std::string data = "CUBEX.DATA";
  for (const std::uint64_t inclusive : {100, 60, 30, 20}) data += number(inclusive, 4, true) + number(1, 4, true);
  const auto read = read_bytes(archive(foreign_anchor("INCLUSIVE", "UINT32", "occ"), index_bytes(true, 3), data));
  ASSERT_TRUE(read) << read.error().text();
  const Cube& cube = read->cube;
  EXPECT_EQ(cube.get(0, 0, 0), 100 - 60 - 30);
  EXPECT_EQ(cube.get(0, 1, 0), 60 - 20);
  EXPECT_EQ(cube.get(0, 2, 0), 20);
  EXPECT_EQ(cube.get(0, 3, 0), 30);
  EXPECT_EQ(cube.get(0, 0, 1), -1);
  EXPECT_EQ(cube.total(0), 101);
}

TEST(Cubex, WideOrderIsNotBreadthFirst) {
  // main > {a > c > e, b > d}: wide is main a b c e d
  std::string anchor = foreign_anchor("INCLUSIVE", "UINT8", "occ");
  const auto replace = [&](const std::string& old, const std::string& text) {
    const std::size_t at = anchor.find(old);
    ASSERT_NE(at, std::string::npos);
    anchor.replace(at, old.size(), text);
  };
  replace("<cnode id=\"2\" calleeId=\"6\"/>",
          "<cnode id=\"2\" calleeId=\"6\"><cnode id=\"4\" calleeId=\"6\"/></cnode>");
  replace("<cnode id=\"3\" calleeId=\"6\"/>",
          "<cnode id=\"3\" calleeId=\"6\"><cnode id=\"5\" calleeId=\"6\"/></cnode>");
  std::string data = "CUBEX.DATA";
  for (const int inclusive : {100, 60, 30, 20, 7, 11})
    data += number(static_cast<std::uint64_t>(inclusive), 1, false) + '\0';
  const auto read = read_bytes(archive(anchor, index_bytes(false, 3), data));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->cube.get(0, 2, 0), 20 - 7);
  EXPECT_EQ(read->cube.get(0, 4, 0), 7);
  EXPECT_EQ(read->cube.get(0, 3, 0), 30 - 11);
  EXPECT_EQ(read->cube.get(0, 5, 0), 11);
}

TEST(Cubex, PlacesThatCannotBeWrittenAreErrors) {
  const auto written = write_cubex(sample(), "/no/such/place/x.cubex");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::system);
  EXPECT_EQ(written.error().where, "/no/such/place/x.cubex");
}

std::string compressed(const std::vector<std::string>& rows, bool big) {
  std::string table, packed;
  std::uint64_t plain = 0;
  for (const std::string& row : rows) {
    std::string out(compressBound(row.size()), '\0');
    uLongf size = out.size();
    compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(row.data()), row.size(), 1);
    out.resize(size);
    table += number(plain, 8, big) + number(packed.size(), 8, big) + number(size, 8, big);
    plain += row.size();
    packed += out;
  }
  return "ZCUBEX.DATA" + number(rows.size(), 8, big) + table + packed;
}

TEST(Cubex, ReadsCompressedRows) {
  const std::vector<std::string> rows = {number(0.5, false) + number(1.5, false),
                                         number(3.0, false) + number(4.0, false)};
  const auto read = read_bytes(
      archive(foreign_anchor("EXCLUSIVE", "DOUBLE"), index_bytes(false, 1, {1, 3}), compressed(rows, false)));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->cube.get(0, 1, 1), 1'500'000'000);
  EXPECT_EQ(read->cube.get(0, 3, 0), 3'000'000'000);
}

// Rows of main, a, c, b; columns rank 1 (Id 1) and rank 0 by location Id 0, 1. Largest double: no value.
CubexFile minima_and(const char* type, double none) {
  std::string data = "CUBEX.DATA";
  for (const double value : {none, none, 4e-9, 6e-9, none, 3e-9, 5e-9, none}) data += number(value, false);
  auto read = read_bytes(archive(foreign_anchor("EXCLUSIVE", type), index_bytes(false, 3), data));
  EXPECT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->quality.empty()) << "no value is no damage";
  return std::move(*read);
}

TEST(Cubex, MinimaAndMaximaAreNotSummed) {
  constexpr double largest = std::numeric_limits<double>::max();
  const CubexFile least = minima_and("MINDOUBLE", largest), most = minima_and("MAXDOUBLE", -largest);
  EXPECT_EQ(least.cube.total(0), 3);
  EXPECT_EQ(most.cube.total(0), 6);
  EXPECT_EQ(least.cube.exclusive_total(0), 3);
  auto by_location = least.cube.by_location(0);
  std::sort(by_location.begin(), by_location.end());
  EXPECT_EQ(by_location, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(least.cube.call_path_total(0, 1), 4);

  const auto again = read_bytes(*cubex_bytes(least.cube));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->cube.metrics[0].fold, Fold::least);
  EXPECT_EQ(again->cube.total(0), 3);
  EXPECT_TRUE(again->quality.empty());
}

TEST(Cubex, AlgebraOfMinimaIsCellByCell) {
  const Cube a = minima_and("MINDOUBLE", std::numeric_limits<double>::max()).cube;
  Cube b = a;
  b = Cube();
  b.metrics = a.metrics, b.call_paths = a.call_paths, b.locations = a.locations;
  b.add(0, 1, 0, a.get(0, 1, 0) + 2);
  const auto mean_of_both = mean({&a, &b});
  ASSERT_TRUE(mean_of_both);
  EXPECT_EQ(mean_of_both->cube.get(0, 1, 0), a.get(0, 1, 0) + 1);
  EXPECT_EQ(mean_of_both->cube.get(0, 3, 0), a.get(0, 3, 0)) << "b has no value there";
  EXPECT_EQ(merge({&a, &b})->cube.total(0), 3);
  EXPECT_EQ(difference(b, a)->cube.get(0, 1, 0), 2);
  const auto folded_up = cut(a, {{}, {"MPI_Send"}});
  ASSERT_TRUE(folded_up) << folded_up.error().text();
  EXPECT_EQ(folded_up->total(0), 3);

  Cube sums = a;
  sums.metrics.change()[0].fold = Fold::sum;
  EXPECT_FALSE(mean({&a, &sums})) << "a sum and a minimum of one name";
}

TEST(Cubex, DerivedAndUnsupportedMetricsAreReported) {
  auto read = read_bytes(member("anchor.xml", foreign_anchor("POSTDERIVED", "DOUBLE")) + tar_end());
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->quality.rows().at(0).kind, "cubex-derived-metric");
  read = read_bytes(archive(foreign_anchor("EXCLUSIVE", "TAU_ATOMIC"), index_bytes(false, 3), "CUBEX.DATA"));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->quality.rows().at(0).kind, "cubex-unsupported-type");
}

TEST(Cubex, BadFilesSayWhatIsWrong) {
  const auto why = [](const std::string& bytes) {
    const auto read = read_bytes(bytes);
    return read ? std::string("no error") : read.error().why;
  };
  const std::string anchor = foreign_anchor("EXCLUSIVE", "DOUBLE");
  EXPECT_NE(why("").find("no member"), std::string::npos) << why("");
  EXPECT_NE(why("not a tar file" + std::string(600, 'x')).find("no tar header at its begin"), std::string::npos);
  EXPECT_EQ(read_bytes("not a tar file" + std::string(600, 'x')).error().what, "this is no .cubex file");
  EXPECT_NE(why(member("x", "y") + tar_end()).find("no member anchor.xml"), std::string::npos);
  EXPECT_NE(why(archive(anchor, index_bytes(false, 2), "CUBEX.DATA")).find("index format 2"), std::string::npos);
  EXPECT_NE(why(archive(anchor, index_bytes(false, 1, {4}), "CUBEX.DATA")).find("position 4"), std::string::npos);
  EXPECT_NE(why(archive(anchor, index_bytes(false, 1, {1, 1}), "CUBEX.DATA")).find("twice"), std::string::npos);
  EXPECT_NE(why(archive(anchor, index_bytes(false, 3), "CUBEX.DATA")).find("instead of 64"), std::string::npos);
  const ScratchFile file;
  file.write("nothing");
  EXPECT_NE(read_cubex(file.path()).error().where.find(file.path()), std::string::npos);
  EXPECT_NE(why(archive("<cube>", index_bytes(false, 3), "")).find("tag"), std::string::npos);
  EXPECT_NE(why(member("anchor.xml", anchor) + member("7.index", index_bytes(false, 3)) + tar_end()).find("missing"),
            std::string::npos);
}

/// Whatever a byte becomes, reading ends with a cube or an error that names something.
TEST(Cubex, NoFlippedOrCutByteCrashesTheReader) {
  const std::vector<std::string> rows(4, number(0.5, false) + number(1.5, false));
  const std::string good[] = {*cubex_bytes(sample()), archive(foreign_anchor("INCLUSIVE", "DOUBLE"),
                                                              index_bytes(false, 3), compressed(rows, false))};
  for (const std::string& bytes : good) {
    ASSERT_TRUE(read_bytes(bytes));
    for (std::size_t i = 0; i < bytes.size(); i += fault_stride()) {
      for (const int change : {0x01, 0x80, 0xFF}) {
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ change);
        const auto read = read_bytes(changed);
        if (!read) {
          EXPECT_FALSE(read.error().why.empty());
        }
      }
    }
    for (std::size_t size = 0; size < bytes.size(); size += fault_stride()) {
      const auto read = read_bytes(bytes.substr(0, size));
      if (!read) {
        EXPECT_FALSE(read.error().why.empty());
      }
    }
  }
}

/// A half-written analysis.cubex once looked like a result with fewer metrics.
TEST(Cubex, EveryCutOfOurOwnFileIsAnError) {
  const std::string bytes = *cubex_bytes(sample());
  for (std::size_t size = 0; size + std::size_t{2} * 512 <= bytes.size(); ++size) {
    EXPECT_FALSE(read_bytes(bytes.substr(0, size))) << size << " of " << bytes.size();
  }
}

TEST(Tar, MembersOfEightGibibytesHavePaxHeaders) {
  const std::uint64_t size = (std::uint64_t{1} << 33) + 513;
  EXPECT_EQ(tar_header("0.data", (std::uint64_t{1} << 33) - 1).size(), 512u);
  const std::string header = tar_header("0.data", size);
  ASSERT_EQ(header.size(), 1536u);
  EXPECT_EQ(header.substr(512, 19), "19 size=8589935105\n");
  // A sparse file stands for the real one.
  const ScratchFile file;
  file.write(header);
  std::filesystem::resize_file(file.path(), 1536 + (size + 511) / 512 * 512);
  {
    std::ofstream tail(file.path(), std::ios::binary | std::ios::app);
    tail << member("1.data", "after") << tar_end();
  }
  const auto mapped = MappedFile::open(file.path());
  ASSERT_TRUE(mapped);
  const auto listing = list_tar(mapped->bytes());
  ASSERT_TRUE(listing) << listing.error().text();
  ASSERT_EQ(listing->members.size(), 2u);
  EXPECT_EQ(listing->members[0].content.size(), size);
  EXPECT_EQ(listing->members[0].name, "0.data");
  EXPECT_EQ(listing->members[1].name, "1.data");
}

}  // namespace
}  // namespace mora::cube
