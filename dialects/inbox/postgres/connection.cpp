#include "inbox/postgres/connection.hpp"

#include <algorithm>
#include <cctype>

#include "inbox/postgres/bind.hpp"
#include "inbox/postgres/errors.hpp"
#include "inbox/postgres/one_table.hpp"
#include "inbox/postgres/rows.hpp"
#include "inbox/postgres/server.hpp"

namespace inbox::postgres {

namespace {

/// Ad-hoc texts a session keeps prepared; more are started over.
constexpr std::size_t most_prepared = 500;

/// So that no setting of database, user or service reaches our statements. The
/// last line is for servers from 14 on, which then notice within a second that
/// nobody waits for a statement any more.
constexpr const char* set_up_text
  = "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; "
    "SET bytea_output = 'hex'; SET extra_float_digits = 3; "
    "SET default_transaction_isolation = 'read committed'; "
    "SELECT version(), (SELECT count(*) FROM (SELECT set_config(name, '1s', "
    "false) FROM pg_catalog.pg_settings WHERE name = "
    "'client_connection_check_interval' OFFSET 0) AS kept)";

bool only_reads(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n(");
  std::string word{text.substr(std::min(begin, text.size()), 6)};
  std::ranges::transform(word, word.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return word == "select" || word.substr(0, 4) == "show";
}

/// Each part of the trip answered with why nothing was done.
trip_result all_failed(const trip& request, const failure& why) {
  trip_result result;
  const auto fail = [&why](auto& into, const auto& parts) {
    for (const auto& p : parts)
      into.push_back({p.delivery, settled::how::failed, why, {}});
  };
  fail(result.settlements, request.settlements);
  fail(result.extensions, request.extensions);
  for (const auto& p : request.read_backs)
    result.read_backs.push_back({p.delivery, settled::how::unknown, why, {}});
  if (request.claim)
    result.claim = tl::make_unexpected(why);
  return result;
}

/// A statement, and the event it is for.
struct named_statement {
  event what;
  const statement* text;
};

std::vector<named_statement> statements_of(const statement_set& set) {
  std::vector<named_statement> all;
  for (const auto& c : set.claims())
    for (const bool at_mark : {false, true})
      if (!at_mark || c.marked)
        all.push_back({event::claim, &c.beginning(at_mark)});
  for (std::uint8_t e = 0; e < event_count; ++e)
    for (const auto& s : set.at(static_cast<event>(e)))
      all.push_back({static_cast<event>(e), &s});
  return all;
}

} // namespace

connection::connection(address where, session_settings settings)
  : where_{std::move(where)} {
  session_.settings = settings;
  for (const auto& secret : where_.secrets)
    session_.on.hide(secret);
}

expected<server_facts> connection::open() {
  const auto until = within(session_.settings.connect_timeout);
  if (auto ok = session_.on.open(parameters_of(where_), until); !ok)
    return tl::make_unexpected(ok.error());
  auto facts = set_up();
  if (!facts)
    session_.on.lose(facts.error());
  return facts;
}

expected<server_facts> connection::set_up() {
  auto result = session_.on.run(set_up_text,
                                within(session_.settings.connect_timeout));
  if (!result)
    return tl::make_unexpected(result.error().code() == errc::timed_out
                                 ? failure{errc::connect,
                                           "the server took the login and did "
                                           "not answer in time"}
                                 : result.error());
  if (PQresultStatus(result->get()) != PGRES_TUPLES_OK)
    return tl::make_unexpected(session_.on.refused(result->get()));
  const char* version = PQparameterStatus(session_.on.raw(), "server_version");
  return check_server(PQserverVersion(session_.on.raw()),
                      version ? version : "unknown",
                      PQgetvalue(result->get(), 0, 0));
}

expected<void> connection::usable() {
  if (!session_.on.raw())
    return refuse(errc::connection_lost, "the session was never opened");
  if (!session_.on.is_lost())
    return {};
  return tl::make_unexpected(
    failure{errc::connection_lost, "the session was lost earlier"});
}

expected<void> connection::prepare(const shared_statements& statements) {
  if (auto ok = usable(); !ok)
    return ok;
  const auto all = statements_of(*statements);
  std::vector<std::string_view> texts;
  for (const auto& s : all)
    texts.push_back(s.text->text);
  const auto named = [&](failure why, event what) {
    return tl::make_unexpected(
      std::move(why)
        .in_subscription(statements->of().name)
        .on_table(statements->description().name().qualified())
        .at(to_string(what)));
  };
  if (auto refused = session_.statements.prepare(texts, session_.until()))
    return named(std::move(refused->why), all[refused->which].what);
  for (const auto& s : all)
    if (auto ok = check_types(*s.text, *session_.statements.find(s.text->text),
                              statements->description());
        !ok)
      return named(ok.error(), s.what);
  if (auto ok = check_one_table(*this, statements->description()); !ok)
    return named(ok.error(), event::claim);
  return {};
}

trip_result connection::run(const trip& request, time_point now) {
  if (auto ok = usable(); !ok) {
    auto result = all_failed(request, ok.error());
    result.session_lost = session_.on.lost().value_or(ok.error());
    return result;
  }
  trip_result result;
  switch (request.statements->description().kind()) {
    case form::lease: result = run_lease(session_, request, now); break;
    case form::row_lock: result = run_row_lock(session_, request, now); break;
    default:
      result = all_failed(request, {errc::unsupported_form,
                                    "Postgres does not serve this form yet"});
  }
  if (session_.on.is_lost())
    result.session_lost = session_.on.lost().value_or(
      failure{errc::connection_lost, "the session was broken off"});
  return result;
}

expected<execution> connection::execute(std::string_view text,
                                        std::span<const value> values) {
  if (auto ok = usable(); !ok)
    return tl::make_unexpected(ok.error());
  const bool is_own_commit = !session_.in_transaction() && !only_reads(text);
  auto result = send(text, values);
  if (!result) {
    auto why = result.error();
    if (session_.on.is_lost() && is_own_commit)
      why = unknown_after(why);
    return tl::make_unexpected(std::move(why).at(text));
  }
  if (!*result)
    return execution{row_set::builder{{}}.finish(), 0};
  if (PQresultStatus(result->get()) == PGRES_FATAL_ERROR)
    return tl::make_unexpected(session_.on.refused(result->get()).at(text));
  auto rows = read_rows(result->get());
  if (!rows)
    return tl::make_unexpected(std::move(rows.error()).at(text));
  return execution{std::move(*rows).finish(), affected_by(result->get())};
}

expected<result_ptr> connection::send(std::string_view text,
                                      std::span<const value> values) {
  if (values.empty())
    return session_.on.run(std::string{text}.c_str(), session_.until());
  if (session_.statements.size() >= most_prepared) {
    if (auto ok = session_.on.run("DEALLOCATE ALL", session_.until()); !ok)
      return ok;
    session_.statements.forget_all();
  }
  auto result = send_prepared(text, values);
  // Stale and refused before it ran: once more, unless a transaction has
  // failed with it.
  if (result && *result && is_stale(result->get())
      && !session_.in_transaction()) {
    session_.statements.forget(text);
    result = send_prepared(text, values);
  }
  return result;
}

expected<result_ptr> connection::send_prepared(std::string_view text,
                                               std::span<const value> values) {
  auto how = session_.known(text);
  if (!how)
    return tl::make_unexpected(how.error());
  if ((*how)->parameters.size() != values.size())
    return refuse(errc::statement, "the statement has "
                                     + std::to_string((*how)->parameters.size())
                                     + " placeholders and was given "
                                     + std::to_string(values.size())
                                     + " values");
  arguments with;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (auto ok = with.add(values[i], (*how)->parameters[i]); !ok)
      return tl::make_unexpected(ok.error());
  const auto seen = with.seen();
  if (PQsendQueryPrepared(session_.on.raw(), (*how)->name.c_str(), with.size(),
                          seen.values.data(), seen.lengths.data(),
                          seen.formats.data(), (*how)->is_binary ? 1 : 0)
      == 0)
    return session_.on.broken();
  return session_.on.last(session_.until());
}

expected<void> connection::run_text(const char* text) {
  if (auto ok = usable(); !ok)
    return ok;
  auto result = session_.on.run(text, session_.until());
  if (!result)
    return tl::make_unexpected(std::move(result.error()).at(text));
  if (PQresultStatus(result->get()) != PGRES_COMMAND_OK)
    return tl::make_unexpected(session_.on.refused(result->get()).at(text));
  return {};
}

expected<void> connection::begin() {
  return run_text("BEGIN");
}

expected<void> connection::commit() {
  if (auto ok = usable(); !ok)
    return ok;
  auto result = session_.on.run("COMMIT", session_.until());
  if (!result)
    return tl::make_unexpected(unknown_after(result.error()).at("COMMIT"));
  if (PQresultStatus(result->get()) != PGRES_COMMAND_OK)
    return tl::make_unexpected(session_.on.refused(result->get()).at("COMMIT"));
  // A transaction that had failed before is rolled back, without an error.
  if (std::string_view{PQcmdStatus(result->get())} != "COMMIT")
    return tl::make_unexpected(
      failure{errc::statement, "the transaction had failed before its commit "
                               "and was rolled back"}
        .at("COMMIT"));
  return {};
}

void connection::roll_back() noexcept {
  if (usable() && session_.in_transaction())
    session_.on.run("ROLLBACK", session_.until());
}

expected<time_point> connection::clock() {
  auto result = execute("SELECT clock_timestamp()", {});
  if (!result)
    return tl::make_unexpected(result.error());
  if (const auto t = result->rows->at(0, 0).as_time())
    return *t;
  return refuse(errc::statement, "the server's clock reads outside the years "
                                 "a timestamp is written in");
}

} // namespace inbox::postgres
