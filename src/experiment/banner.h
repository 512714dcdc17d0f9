/// What `mora record` and `mora recover` say about the experiment they made.
#pragma once

#include <string>
#include <vector>

#include "experiment/manifest.h"

namespace mora::experiment {

/// Lines for people, each ended by a newline.
std::string experiment_banner(const Manifest& manifest);

/// How a job ended that did not end by itself: the last lines that are printed; empty for others.
std::string ending_lines(const Manifest& manifest);

/// "Open MPI 4.1.4" of a flavour ("openmpi", "mpich") and the first line of MPI_Get_library_version.
std::string library_for_people(const std::string& flavour, const std::string& library);

/// Rows that are no mere information, one line for each kind.
std::string quality_lines(const std::vector<QualityRow>& rows);

/// One line of JSON: a list with one object per experiment.
std::string experiments_json(const std::vector<Manifest>& manifests, int launcher_exit);

}  // namespace mora::experiment
