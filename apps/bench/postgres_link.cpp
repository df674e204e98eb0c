#include "postgres_link.hpp"

#include "postgres_arguments.hpp"

namespace bench {

namespace {

constexpr int binary = 1;

} // namespace

inbox::expected<pg_link> pg_link::open(const std::string& url) {
  pg_link link{PQconnectdb(url.c_str())};
  if (PQstatus(link.link_.get()) != CONNECTION_OK)
    return link.failed();
  return link;
}

tl::unexpected<inbox::failure> pg_link::failed() const {
  return inbox::refuse(inbox::errc::statement, PQerrorMessage(link_.get()));
}

inbox::expected<pg_result> pg_link::checked(PGresult* r) const {
  pg_result result{r};
  const auto status = PQresultStatus(r);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    return failed();
  return result;
}

inbox::expected<pg_result> pg_link::run(const std::string& text) {
  return checked(PQexec(link_.get(), text.c_str()));
}

inbox::expected<void> pg_link::prepare(const char* name,
                                       const std::string& text) {
  return checked(PQprepare(link_.get(), name, text.c_str(), 0, nullptr))
    .map([](auto&&) {});
}

inbox::expected<pg_result> pg_link::run_prepared(const char* name,
                                                 const inbox::statement& s,
                                                 const pg_values& with) {
  const pg_arguments a{s, with};
  return checked(PQexecPrepared(link_.get(), name, a.size(), a.values(),
                                a.lengths(), a.formats(), binary));
}

inbox::expected<pg_result>
pg_link::run_prepared(const char* name, std::span<const char* const> texts) {
  return checked(PQexecPrepared(link_.get(), name,
                                static_cast<int>(texts.size()), texts.data(),
                                nullptr, nullptr, binary));
}

inbox::expected<void> pg_link::enter_pipeline() {
  if (PQenterPipelineMode(link_.get()) != 1)
    return failed();
  return {};
}

inbox::expected<void> pg_link::queue(const char* name,
                                     const inbox::statement& s,
                                     const pg_values& with) {
  const pg_arguments a{s, with};
  if (PQsendQueryPrepared(link_.get(), name, a.size(), a.values(), a.lengths(),
                          a.formats(), binary)
      != 1)
    return failed();
  return {};
}

inbox::expected<void> pg_link::sync() {
  if (PQpipelineSync(link_.get()) != 1)
    return failed();
  return {};
}

inbox::expected<pg_result> pg_link::next() {
  auto result = checked(PQgetResult(link_.get()));
  // The null that ends one statement's results.
  if (result && PQgetResult(link_.get()) != nullptr)
    return inbox::refuse(inbox::errc::statement, "a second result came");
  return result;
}

inbox::expected<void> pg_link::synced() {
  const pg_result end{PQgetResult(link_.get())};
  if (PQresultStatus(end.get()) != PGRES_PIPELINE_SYNC)
    return failed();
  return {};
}

} // namespace bench
