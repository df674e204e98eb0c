#pragma once

#include <string>
#include <vector>

#include "program/answer.hpp"
#include "program/run.hpp"

namespace inboxctl {

/// What a program's answer to a batch means, one for each row in order.
struct batch_answer {
  std::vector<inbox::handled> means;
  std::string warning; ///< Empty when nothing is odd.
};

/// With exit 0 standard output is empty, all acknowledged, or one JSON array
/// with an outcome for each row: "ack", "retry", "drop" or
/// {"retry_after":"30s"}. Anything unreadable there fails every row; so does
/// an exit code that is none of 0, 75 and 65, which hold for every row.
batch_answer read_batch_answer(const run_result& ran, std::size_t rows);

} // namespace inboxctl
