#pragma once

#include <string>

#include <SQLiteCpp/SQLiteCpp.h>

namespace quickstart {

/// A connection of the demo's own, beside the library's: it waits up to 20 s
/// for other writers.
SQLite::Database open_store(const std::string& path);

/// Creates the file with the tables of the demo: the queue, where dead letters
/// go, what the work leaves behind, and the audit that the proof is read from.
SQLite::Database create_store(const std::string& path);

/// The one number a query answers; zero for NULL.
std::int64_t number(SQLite::Database& in, const std::string& query);

/// "12,345"
std::string grouped(std::int64_t n);

/// "1.2 MB"
std::string megabytes(std::int64_t bytes);

} // namespace quickstart
