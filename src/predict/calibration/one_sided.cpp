#include "predict/calibration/one_sided.h"

#include <algorithm>
#include <optional>

#include "predict/calibration/fit.h"

namespace mora::predict {

namespace {

using replay::WindowCall;

const SizeSamples* smallest_of(const ClassSamples& samples, const std::string& test) {
  const auto found = samples.tests.find(test);
  return found == samples.tests.end() || found->second.empty() ? nullptr : &found->second.front();
}

class Costs {
 public:
  Costs(const ClassSamples& samples, std::vector<Quantity>& quantities) : samples_(samples), quantities_(quantities) {}

  OneSidedCosts make() {
    const auto flush = constant(WindowCall::flush);
    if (flush) set(WindowCall::flush, *flush, flush->value, 0);
    const double of_flush = flush ? flush->value : 0;
    for (const WindowCall call : {WindowCall::put, WindowCall::get, WindowCall::accumulate, WindowCall::fetch})
      transfer(call, of_flush);
    for (const WindowCall call : {WindowCall::lock_all, WindowCall::unlock_all}) {
      if (const auto q = constant(call)) set(call, *q, q->value, 0);
    }
    for (const WindowCall call : {WindowCall::fence, WindowCall::lock, WindowCall::create, WindowCall::free}) {
      if (const auto q = constant(call)) set(call, *q, 0, q->value);
    }
    epochs();
    unlock();
    return std::move(costs_);
  }

 private:
  std::optional<Quantity> constant(WindowCall call) { return constant(std::string(replay::name_of(call))); }
  std::optional<Quantity> constant(const std::string& test) {
    const SizeSamples* s = smallest_of(samples_, test);
    if (s == nullptr) return {};
    quantities_.push_back(constant_quantity(*s, samples_.name, test));
    return quantities_.back();
  }
  std::vector<CostRange>& ranges(WindowCall call) { return costs_.calls[static_cast<std::size_t>(call)]; }
  void set(WindowCall call, const Quantity& q, double overhead, double latency) {
    CostRange range;
    range.lines.send_overhead_ns = overhead;
    range.lines.latency_ns = latency;
    range.lines.relative_error = q.ninth_decile_error;
    ranges(call) = {range};
  }

  void transfer(WindowCall call, double flush) {
    const std::string name(replay::name_of(call));
    const auto called = points_of(samples_, name + "_call");
    auto whole = points_of(samples_, name + "_complete");
    if (whole.size() < 2) return;
    for (FitPoint& point : whole) {
      const auto call_of_size =
          std::find_if(called.begin(), called.end(), [&](const FitPoint& one) { return one.x == point.x; });
      point.y = std::max(call_of_size == called.end() ? 1 : call_of_size->y, point.y - flush);
    }
    std::vector<double> errors;
    ranges(call) = fit_parts(whole, called, {}, false, errors);
    ranges(call).back().up_to_bytes = UINT64_MAX;
    costs_.measured_up_to = std::max(costs_.measured_up_to, static_cast<std::uint64_t>(whole.back().x));
    const SizeSamples& smallest = *smallest_of(samples_, name + "_complete");
    Quantity q{samples_.name, name, smallest.median, smallest.low, smallest.high};
    for (const SizeSamples& s : samples_.tests.at(name + "_complete")) {
      q.samples += s.count + s.outliers;
      q.outliers += s.outliers;
    }
    q.median_error = quantile(errors, 0.5);
    q.ninth_decile_error = quantile(errors, 0.9);
    quantities_.push_back(q);
  }

  void epochs() {
    const auto post = constant(WindowCall::post), start = constant(WindowCall::start),
               complete = constant(WindowCall::complete), wait = constant(WindowCall::wait), epoch = constant("epoch");
    if (!post || !start || !complete || !wait || !epoch) return;
    const double calls = post->value + start->value + complete->value + wait->value;
    const double signal = std::max(0.0, epoch->value - calls) / 2;
    set(WindowCall::post, *post, post->value, signal);
    set(WindowCall::start, *start, start->value, 0);
    set(WindowCall::complete, *complete, complete->value, signal);
    set(WindowCall::wait, *wait, wait->value, 0);
  }

  void unlock() {
    const auto q = constant(WindowCall::unlock);
    const auto& put = ranges(WindowCall::put);
    if (!q || put.empty()) return;
    const SizeSamples& sample = *smallest_of(samples_, "unlock");
    const MessageLines lines = PiecewiseModel(put).at(sample.bytes);
    const double rest = lines.latency_ns + static_cast<double>(sample.bytes) * lines.ns_per_byte;
    set(WindowCall::unlock, *q, std::max(0.0, q->value - rest), 0);
  }

  const ClassSamples& samples_;
  std::vector<Quantity>& quantities_;
  OneSidedCosts costs_;
};

}  // namespace

OneSidedCosts one_sided_costs(const ClassSamples& samples, std::vector<Quantity>& quantities) {
  return Costs(samples, quantities).make();
}

}  // namespace mora::predict
