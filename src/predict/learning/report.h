/// What was learned, and how good it is, for people. Pure.
#pragma once

#include <string>

#include "base/table/text_page.h"
#include "predict/learning/correction_file.h"

namespace mora::predict {

/// Verdict, errors of applications held out, features and ablation.
std::string learned_text(const Learned& learned, const LearnedFrom& from, const TextOptions& options);

/// One sentence: whether the correction is better than the model on applications held out, and by how much.
std::string verdict_of(const Learned& learned);

}  // namespace mora::predict
