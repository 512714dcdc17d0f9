// Samples whose model is known.
#include "predict/calibration/calibration.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "predict/calibration/segments.h"
#include "predict/machine/model.h"

namespace mora::predict {
namespace {

std::vector<FitPoint> points_on_line(double fixed, double slope, double first, double last, std::size_t n) {
  std::vector<FitPoint> points;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = first + (last - first) * static_cast<double>(i) / static_cast<double>(n - 1);
    points.push_back({x, fixed + slope * x});
  }
  return points;
}

TEST(Segments, OneLineIsOneRange) {
  const auto ranges = fit_ranges(points_on_line(500, 0.25, 0, 100000, 30));
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_NEAR(ranges[0].line.fixed, 500, 1e-6);
  EXPECT_NEAR(ranges[0].line.slope, 0.25, 1e-9);
  for (const double error : cross_validated_errors(points_on_line(500, 0.25, 0, 100000, 30))) EXPECT_LT(error, 1e-6);
}

TEST(Segments, AJumpIsFoundWhereItIs) {
  auto points = points_on_line(500, 0.25, 0, 4000, 12);
  const auto high = points_on_line(3000, 0.1, 4100, 90000, 15);
  points.insert(points.end(), high.begin(), high.end());
  const auto ranges = fit_ranges(points);
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].count, 12U);
  EXPECT_NEAR(ranges[1].line.fixed, 3000, 1e-4);
  EXPECT_NEAR(ranges[1].line.slope, 0.1, 1e-8);
}

TEST(Segments, NeitherParameterIsNegative) {
  EXPECT_EQ(fit_line({{0, 100}, {100, 50}}, 0, 2).slope, 0);
  const FitLine steep = fit_line({{100, 10}, {200, 1000}}, 0, 2);
  EXPECT_EQ(steep.fixed, 0);
  EXPECT_GT(steep.slope, 0);
  EXPECT_EQ(fit_line({}, 0, 0).fixed, 0);
}

TEST(Segments, ErrorsAreThoseOfSizesThatWereLeftOut) {
  // One of ten is twice what the others' line says.
  auto points = points_on_line(1000, 0, 0, 90, 10);
  points[4].y = 2000;
  const auto errors = cross_validated_errors(points);
  EXPECT_NEAR(errors[4], 0.5, 0.05);
}

TEST(Samples, TheMedianWithoutOutliers) {
  std::vector<std::int64_t> ns(20, 1000);
  ns[3] = 900;
  ns[4] = 1100;
  ns[7] = 90000;
  const SizeSamples s = summary_of_samples(8, ns);
  EXPECT_EQ(s.median, 1000);
  EXPECT_EQ(s.count, 18U);  // 1100 is beyond three deviations, too: all others are equal
  EXPECT_EQ(s.outliers, 2U);
  EXPECT_EQ(s.low, 1000);
  EXPECT_EQ(s.high, 1000);
}

std::string known_samples() {
  std::string text =
      "# mora-calibration 1\n# library,Open MPI v4.1.4\n# ranks,2\n# host,n1\n# seed,7\n"
      "class,from,to,pass,test,bytes,ns\n";
  for (std::uint64_t bytes = 0; bytes <= 20000; bytes += 500) {
    // Eager up to 8000: 400 + b/2, of which 100 + b/4 are the sender's and 50 the receiver's. Then 5000 + b/5.
    const bool eager = bytes <= 8000;
    for (int pass = 0; pass < 4; ++pass) {
      const std::uint64_t warm = pass == 0 ? 7777 : 0;
      text += fmt::format("same_package,0,1,{},half_round_trip,{},{}\n", pass, bytes,
                          warm + (eager ? 400 + bytes / 2 : 5000 + bytes / 5));
      text += fmt::format("same_package,0,1,{},send,{},{}\n", pass, bytes, warm + (eager ? 100 + bytes / 4 : 90000));
      text += fmt::format("same_package,0,1,{},late_receive,{},{}\n", pass, bytes, warm + (eager ? 50 : 6000));
    }
  }
  return text + "# eager_up_to,same_package,8123\n# end\n";
}

TEST(Calibration, FindsTheModelThatTheSamplesWereMadeOf) {
  const auto samples = parse_samples(known_samples(), "raw");
  ASSERT_TRUE(samples) << samples.error().text();
  const auto calibration = calibrate(*samples, "raw");
  ASSERT_TRUE(calibration);
  ASSERT_EQ(calibration->classes.size(), 1U);
  const CalibratedClass& c = calibration->classes[0];
  ASSERT_EQ(c.ranges.size(), 2U);
  EXPECT_EQ(c.ranges[0].up_to_bytes, 8123U);
  EXPECT_NEAR(c.ranges[0].lines.send_overhead_ns, 100, 0.1);
  EXPECT_NEAR(c.ranges[0].lines.send_overhead_ns_per_byte, 0.25, 1e-4);
  EXPECT_NEAR(c.ranges[0].lines.receive_overhead_ns, 50, 0.1);
  EXPECT_NEAR(c.ranges[0].lines.latency_ns, 250, 0.1);
  EXPECT_NEAR(c.ranges[0].lines.ns_per_byte, 0.25, 1e-4);
  EXPECT_FALSE(c.ranges[0].lines.rendezvous);
  EXPECT_TRUE(c.ranges[1].lines.rendezvous);
  EXPECT_NEAR(c.ranges[1].lines.send_overhead_ns, 100, 0.1);
  EXPECT_NEAR(c.ranges[1].lines.latency_ns, 5000 - 150, 0.5);
  EXPECT_NEAR(c.ranges[1].lines.ns_per_byte, 0.2, 1e-4);
  EXPECT_LT(c.ninth_decile_error, 0.001);
  EXPECT_EQ(c.measured_up_to, 20000U);
  EXPECT_TRUE(calibration->warnings.empty());

  const std::string json = machine_json(*calibration, {"n1", "mpirun -n 2", "raw", 60});
  const auto model = parse_machine_model(json, "machine.json");
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(model->mpi, "Open MPI v4.1.4");
  EXPECT_EQ(messages_time(*model, Locality::same_node, 1, 1000), 900);
  EXPECT_EQ(messages_time(*model, Locality::same_node, 1, 10000), 7000);
  EXPECT_EQ(model->find(Locality::same_node)->measured_up_to(), 20000U);
}

TEST(Calibration, NoiseIsSaid) {
  std::string text = "# mora-calibration 1\nclass,from,to,pass,test,bytes,ns\n";
  for (int bytes = 0; bytes < 3000; bytes += 100) {
    for (int pass = 1; pass < 9; ++pass)
      text += fmt::format("same_node,0,1,{},half_round_trip,{},{}\n", pass, bytes, pass % 2 == 0 ? 1700 : 1000);
  }
  const auto calibration = calibrate(parse_samples(text + "# end\n", "raw").value(), "raw");
  ASSERT_TRUE(calibration);
  ASSERT_EQ(calibration->warnings.size(), 1U);
  EXPECT_NE(calibration->warnings[0].find("1.70 times the first"), std::string::npos) << calibration->warnings[0];
}

TEST(Calibration, FewSizesAreSaid) {
  std::string text = "# mora-calibration 1\nclass,from,to,pass,test,bytes,ns\n";
  for (int bytes = 0; bytes < 2900; bytes += 100)
    text += fmt::format("same_node,0,1,1,half_round_trip,{},1000\n", bytes);
  const auto calibration = calibrate(parse_samples(text + "# end\n", "raw").value(), "raw");
  ASSERT_TRUE(calibration);
  ASSERT_EQ(calibration->warnings.size(), 1U);
  EXPECT_NE(calibration->warnings[0].find("29 sizes only"), std::string::npos) << calibration->warnings[0];
}

TEST(Calibration, DamagedSamplesAreErrors) {
  const auto why = [](const std::string& text) { return parse_samples(text, "raw").error().text(); };
  EXPECT_NE(why("class\n").find("no raw file"), std::string::npos);
  const std::string whole = known_samples();
  EXPECT_NE(why(whole.substr(0, whole.size() - 6)).find("its end is missing"), std::string::npos);
  EXPECT_NE(why("# mora-calibration 1\nsame_node,0,1,1,send,8\n# end\n").find("raw:2"), std::string::npos);
  const auto sized = [](const std::string& bytes) {
    return "# mora-calibration 1\nsame_node,0,1,1,half_round_trip," + bytes + ",5\n";
  };
  EXPECT_TRUE(parse_samples(sized("9007199254740992") + "# eager_up_to,same_node,-1\n# end\n", "raw"));
  EXPECT_NE(why(sized("9007199254740993") + "# end\n").find("a size of more than 9007199254740992 bytes"),
            std::string::npos);
  EXPECT_NE(why(sized("18446744073709551615") + "# end\n").find("a size of more than"), std::string::npos);
  EXPECT_NE(why(sized("8") + "# eager_up_to,same_node,9007199254740993\n# end\n").find("no size"), std::string::npos);
  std::string many;
  for (int bytes = 0; bytes < 1024; ++bytes) many += fmt::format("same_node,0,1,1,send,{},5\n", bytes);
  EXPECT_TRUE(parse_samples("# mora-calibration 1\n" + many + "# end\n", "raw"));
  EXPECT_NE(why("# mora-calibration 1\n" + many + "same_node,0,1,1,send,2000,5\n# end\n").find("1024 sizes of send"),
            std::string::npos);
  const auto empty = parse_samples("# mora-calibration 1\nsame_node,0,1,0,send,8,5\n# end\n", "raw");
  ASSERT_TRUE(empty);
  EXPECT_NE(calibrate(*empty, "raw").error().text().find("no half round trips"), std::string::npos);
}

}  // namespace
}  // namespace mora::predict
