#pragma once

#include <string>

namespace inbox::test {

/// A queue of the lease form with every role, short waits.
inline std::string lease_queue(const std::string& settings = "") {
  return "[queue.emails]\n"
         "table = \"@jobs\"\n"
         "poll_interval = \"50ms\"\n"
         "lease = \"2s\"\n"
         + settings
         + "[queue.emails.columns]\n"
           "id = \"id\"\n"
           "group = \"queue\"\n"
           "priority = \"urgency\"\n"
           "partition_key = \"customer\"\n"
           "retry_after = \"due\"\n"
           "attempt = \"attempt\"\n"
           "locked_until = \"locked_until\"\n"
           "processed_at = \"done_at\"\n"
           "headers = \"meta\"\n"
           "payload = \"body\"\n"
           "generated = [\"id\"]\n";
}

/// A queue of nothing but an id, a payload and a lease.
inline std::string bare_queue(const std::string& settings = "") {
  return "[queue.bare]\n"
         "table = \"@bare_jobs\"\n"
         + settings
         + "[queue.bare.columns]\n"
           "id = \"id\"\n"
           "locked_until = \"locked_until\"\n"
           "payload = \"body\"\n"
           "generated = [\"id\"]\n";
}

/// A queue of the row lock form.
inline std::string row_lock_queue(const std::string& settings = "") {
  return "[queue.mail]\n"
         "table = \"@mail_jobs\"\n"
         "poll_interval = \"50ms\"\n"
         + settings
         + "[queue.mail.columns]\n"
           "id = \"id\"\n"
           "retry_after = \"due\"\n"
           "attempt = \"attempt\"\n"
           "payload = \"body\"\n"
           "generated = [\"id\"]\n";
}

} // namespace inbox::test
