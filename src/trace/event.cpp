#include "trace/event.h"

#include "base/names.h"

namespace mora::trace {

constexpr const char* event_kinds[] = {"enter",
                                       "leave",
                                       "send",
                                       "receive",
                                       "send_request",
                                       "send_complete",
                                       "receive_request",
                                       "receive_complete",
                                       "cancelled",
                                       "collective_begin",
                                       "collective_end",
                                       "rma_collective_begin",
                                       "rma_collective_end",
                                       "window_create",
                                       "window_free",
                                       "group_sync",
                                       "lock_request",
                                       "lock_release",
                                       "put",
                                       "get",
                                       "rma_complete",
                                       "collective_request",
                                       "collective_complete",
                                       "atomic",
                                       "flush",
                                       "fork",
                                       "join",
                                       "acquire",
                                       "release",
                                       "team_collective_end",
                                       "io_begin",
                                       "io_end",
                                       "metric",
                                       "sample",
                                       "user",
                                       "program_begin",
                                       "program_end",
                                       "recording_off",
                                       "recording_on",
                                       "overhead_begin",
                                       "overhead_end",
                                       "other"};

const char* to_string(EventKind kind) { return name_in(event_kinds, kind); }

}  // namespace mora::trace
