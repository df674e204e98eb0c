#pragma once

// Tables described as constants, beside the struct they fill:
//
//   namespace mailer {
//   struct send_email {
//     std::int64_t job_id; std::string name; std::int16_t attempt;
//     std::string payload;
//   };
//   consteval auto inbox_table(std::type_identity<send_email>) {
//     using namespace inbox::role;
//     return inbox::describe<send_email, "email_jobs">(
//       id<&send_email::job_id>(generated), group<&send_email::name>(),
//       attempt<&send_email::attempt>(generated),
//       payload<&send_email::payload, "body">());
//   }
//   }
//
// JSON columns: "inbox/describe/json.hpp".

#include "inbox/describe/describe.hpp"
#include "inbox/describe/insert.hpp"
#include "inbox/describe/new_rows.hpp"
#include "inbox/describe/row.hpp"
