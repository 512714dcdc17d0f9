/// A sink in front of another one, which it may stop.
#pragma once

#include <atomic>

#include "analysis/storage/storage.h"
#include "trace/source.h"

namespace mora::analysis {

/// Passes no more events on once the storage is full or the analysis is to stop: what reads calls back through C and
/// cannot be stopped by throwing.
class StoppingSink : public trace::EventSink {
 public:
  StoppingSink(trace::EventSink& sink, const Storage* storage, const std::atomic<bool>* stop)
      : sink_(sink), storage_(storage), stop_(stop) {}
  void on_event(const trace::Event& event) override {
    if (storage_ != nullptr && storage_->has_failed()) return;
    if (stop_ == nullptr || !stop_->load(std::memory_order_relaxed)) sink_.on_event(event);
  }

 private:
  trace::EventSink& sink_;
  const Storage* storage_;
  const std::atomic<bool>* stop_;
};

}  // namespace mora::analysis
