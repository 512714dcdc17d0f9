#include "serve/timeline/category.h"

#include "trace/mpi_function.h"

namespace mora::serve {

using mpi::CallClass;

const std::array<CategoryText, categories>& category_texts() {
  static const std::array<CategoryText, categories> texts{{{"nothing", "not running"},
                                                           {"user", "user code"},
                                                           {"collective", "collective operation"},
                                                           {"send", "send"},
                                                           {"send-start", "non-blocking send"},
                                                           {"receive", "receive, wait"},
                                                           {"receive-start", "non-blocking receive, test"},
                                                           {"other", "other MPI"},
                                                           {"one-sided", "one-sided communication"},
                                                           {"file", "files"},
                                                           {"management", "start, end, communicators"},
                                                           {"library", "OpenMP, SHMEM, accelerators"}}};
  return texts;
}

Category category_of(const trace::Region& region) {
  if (region.kind != trace::RegionKind::mpi) {
    return region.paradigm == trace::Paradigm::unknown ? Category::user : Category::library;
  }
  const mpi::Function& function = trace::function_of(region);
  switch (function.call) {
    case CallClass::send:
      return Category::send;
    case CallClass::send_start:
    case CallClass::send_receive_start:
      return Category::send_start;
    case CallClass::receive:
    case CallClass::send_receive:
    case CallClass::wait_single:
    case CallClass::wait_multiple:
      return Category::receive;
    case CallClass::probe:
    case CallClass::matched_probe:
      return function.form == mpi::Form::polls ? Category::receive_start : Category::receive;
    case CallClass::receive_start:
    case CallClass::test:
      return Category::receive_start;
    case CallClass::collective:
    case CallClass::collective_start:
      return Category::collective;
    case CallClass::init:
    case CallClass::finalize:
    case CallClass::communicator:
    case CallClass::group:
      return Category::management;
    case CallClass::other:
      return Category::other;
    default:
      return function.subject == mpi::Subject::one_sided ? Category::one_sided
             : function.subject == mpi::Subject::file    ? Category::file
                                                         : Category::other;
  }
}

}  // namespace mora::serve
