// Messages, collectives, transfers and file operations that are started in one call and completed in another.
#include <algorithm>

#include "experiment/convert/translator.h"

namespace mora::experiment {

void Translator::completions(const Record& r, std::uint64_t leave) {
  for (std::size_t i = 0; i + 4 <= r.payload.size(); i += 4) {
    const auto* c = r.payload.data() + i;
    const auto request = c[0];
    if (request == 0) continue;  // counted by the recorder's note
    if (is_from_elsewhere(request) && pair_high(c[3]) != MORA_COMPLETED_RECV) {
      const auto by = state_.threads.find(thread_of_request(request));
      if (pair_high(c[3]) == MORA_COMPLETED_OTHER && by != state_.threads.end())
        by->second->completed_elsewhere(request, c[2], leave);
      continue;
    }
    switch (pair_high(c[3])) {
      case MORA_COMPLETED_SEND:
        if (pair_low(c[1]) >= 0) out_.send_complete(leave, request);  // else MPI_PROC_NULL
        break;
      case MORA_COMPLETED_RECV: {
        if (pair_low(c[1]) < 0) break;  // MPI_PROC_NULL
        const auto comm = communicator(static_cast<std::uint32_t>(pair_low(c[3])));
        const auto tag = static_cast<std::uint32_t>(pair_high(c[1]));
        if (comm != no_id && is_from_elsewhere(request))
          out_.receive(leave, peer(pair_low(c[1])), comm, tag, c[2]);
        else if (comm != no_id)
          out_.receive_complete(leave, peer(pair_low(c[1])), comm, tag, c[2], request);
        break;
      }
      case MORA_CANCELLED:
        if (pair_low(c[1]) != MORA_PEER_NONE) out_.cancelled(leave, request);
        break;
      case MORA_FREED:
        forget_request(request);
        count("request-freed", Severity::info, "active requests were freed: when they completed is not known",
              "complete requests with MPI_Wait or MPI_Test");
        break;
      default:
        other_completion(request, c[2], leave);
        break;
    }
  }
}

void Translator::starts(const Record& r, std::uint64_t enter) {
  for (std::size_t i = 0; i + 4 <= r.payload.size(); i += 4) {
    const auto* c = r.payload.data() + i;
    if (pair_high(c[3]) == MORA_COMPLETED_SEND) {
      if (pair_low(c[1]) < 0) continue;  // MPI_PROC_NULL
      const auto comm = communicator(static_cast<std::uint32_t>(pair_low(c[3])));
      if (comm != no_id)
        out_.send_request(enter, peer(pair_low(c[1])), comm, static_cast<std::uint32_t>(pair_high(c[1])), c[2], c[0]);
    } else if (pair_high(c[3]) == MORA_COMPLETED_RECV && pair_low(c[1]) != MORA_PEER_NONE) {
      if (!ends_elsewhere(c[0])) out_.receive_request(enter, c[0]);
    } else if (pair_high(c[3]) == MORA_COMPLETED_OTHER) {
      const auto of = state_.persistent.find(c[2]);
      if (of == state_.persistent.end()) continue;  // made while recording was off
      out_.collective_request(enter, c[0]);
      collectives_[c[0]] = of->second;
    }
  }
}

void Translator::tell_completed_elsewhere(std::uint64_t until) {
  std::size_t told = 0;
  for (; told < completed_elsewhere_.size() && completed_elsewhere_[told].stamp <= until; ++told) {
    const CompletedElsewhere& c = completed_elsewhere_[told];
    last_ = std::max(last_, c.stamp);
    other_completion(c.request, c.bytes, last_);
  }
  completed_elsewhere_.erase(completed_elsewhere_.begin(),
                             completed_elsewhere_.begin() + static_cast<std::ptrdiff_t>(told));
}

void Translator::other_completion(std::uint64_t request, std::uint64_t bytes, std::uint64_t leave) {
  if (const auto c = collectives_.find(request); c != collectives_.end()) {
    const auto& k = c->second;
    out_.collective_complete(leave, k.op, k.communicator, root_of(k.root), k.sent, k.received, request, k.attributes);
  } else if (const auto t = requested_transfers_.find(request); t != requested_transfers_.end()) {
    out_.rma_complete(leave, t->second.window, t->second.id, false);
  } else if (const auto f = files_.find(request); f != files_.end()) {
    out_.io_complete(leave, f->second, bytes, request);
  }
  forget_request(request);
}

void Translator::forget_request(std::uint64_t request) {
  collectives_.erase(request);
  requested_transfers_.erase(request);
  files_.erase(request);
}

void Translator::file_operation(const Record& r, const mpi::Function& f, std::uint64_t enter, std::uint64_t leave) {
  const bool writes = f.file == mpi::FileAccess::write, later = f.form == mpi::Form::starts;
  if ((!writes && f.file != mpi::FileAccess::read) || f.completes != mpi::Completes::none) return;
  const auto file = ids_.file(r.object);
  if (file == no_id) {
    count("unknown-file", Severity::loss,
          "files were read or written whose opening was not recorded: their calls are enter and leave only",
          "keep recording on from MPI_Init on");
    return;
  }
  const auto& p = r.payload;
  out_.io_begin(enter, file, writes, f.by_all, later, p[0], p[2]);
  if (later)
    files_[p[2]] = file;
  else
    out_.io_complete(leave, file, p[1], p[2]);
}

/// What all processes do together with a file, but for its data.
void Translator::file_change(const Record& r, const mpi::Function& f, std::uint64_t leave) {
  const auto file = ids_.file(r.object);
  if (file == no_id) return;
  if (f.id == mpi::FunctionId::file_open)
    out_.io_open(leave, file);
  else if (f.id == mpi::FunctionId::file_close)
    out_.io_close(leave, file);
  else
    out_.io_change(leave, file);
}

}  // namespace mora::experiment
