#include "inbox/actors/service.hpp"

#include "inbox/actors/service_body.hpp"
#include "inbox/actors/signal_watch.hpp"

namespace inbox {

service::service(pool over, service_settings settings)
  : body_{
    std::make_unique<body>(nullptr, std::move(over), std::move(settings))} {}

service::service(caf::actor_system& host, pool over, service_settings settings)
  : body_{std::make_unique<body>(&host, std::move(over), std::move(settings))} {
}

service::service(service&&) noexcept = default;
service& service::operator=(service&&) noexcept = default;
service::~service() = default;

service& service::serve(subscription queue, handler with) {
  body_->declare(std::move(queue), std::move(with));
  return *this;
}

service& service::serve(subscription queue, batch_handler with) {
  body_->declare(std::move(queue), std::move(with));
  return *this;
}

service& service::serve(expected<subscription> queue, batch_handler with) {
  if (queue)
    return serve(std::move(*queue), std::move(with));
  body_->keep_refusal(std::move(queue).error());
  return *this;
}

service& service::serve(expected<subscription> queue, handler with) {
  if (queue)
    return serve(std::move(*queue), std::move(with));
  body_->keep_refusal(std::move(queue).error());
  return *this;
}

service& service::serve(subscription queue, const caf::actor& with) {
  body_->declare(std::move(queue), with);
  return *this;
}

expected<void> service::start() {
  return body_->start();
}

expected<void> service::run() {
  std::optional<actors::signal_watch> signals;
  if (body_->owns_system())
    signals.emplace([this](int count) { body_->drain(count > 1); });
  if (auto started = body_->start(); !started)
    return started;
  body_->wait({});
  return body_->stop();
}

void service::drain(bool at_once) {
  body_->drain(at_once);
}

expected<void> service::stop() {
  return body_->stop();
}

bool service::wait(duration at_most) {
  return body_->wait(at_most);
}

expected<value> service::enqueue(std::string_view queue, const new_row& row) {
  return enqueue_many(queue, {&row, 1}).map([](std::vector<value> ids) {
    return std::move(ids.front());
  });
}

expected<std::vector<value>>
service::enqueue_many(std::string_view queue, std::span<const new_row> rows) {
  return body_->enqueue(queue, rows);
}

expected<std::vector<value>> service::enqueue_into(std::string_view queue,
                                                   const table& to,
                                                   const new_rows& rows) {
  return body_->enqueue(queue, to, rows);
}

void service::wake(std::string_view queue) {
  body_->wake(queue);
}

expected<void>
service::with_session(std::function<expected<void>(connection&)> work,
                      duration at_most) {
  return body_->with_session(std::move(work), at_most);
}

service_snapshot service::snapshot() const {
  return body_->snapshot();
}

} // namespace inbox
