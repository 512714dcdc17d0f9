/// One record as a line of text, without its times and site: for the dump and for tests.
#pragma once

#include <string>

#include "journal/journal_reader.h"

namespace mora::journal {

using FunctionName = std::string (*)(unsigned function);

/// "SEND MPI_Send comm=0 peer=1 tag=7 bytes=80 flags=failed"; ranks and bytes in decimal. `record` must come from a
/// Cursor (its payload is as long as its shape demands).
std::string text_of(const Record& record, FunctionName name_of_function);

}  // namespace mora::journal
