#pragma once

// The seam over CAF's versions: everything that differs between 0.17 and 1.x
// is said here, in our own words, and branched on nowhere else.

#include <chrono>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/config.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#if CAF_VERSION >= 1800
#error "libinbox is built against CAF 0.17; a newer CAF needs its own branch"
#endif

namespace inbox::actors {

/// A message that never leaves its process carries `using local = void;` and
/// needs no registration.
template <class T>
concept local_message = requires {
  typename T::local;
};

namespace detail {

template <class Signature>
struct signature;

template <class A>
struct signature<caf::result<void>(A)> {
  using type = caf::reacts_to<A>;
};

template <class R, class A>
struct signature<caf::result<R>(A)> {
  using type = typename caf::replies_to<A>::template with<R>;
};

} // namespace detail

/// The messages an actor takes, each as `caf::result<Answer>(Message)`.
template <class... Signatures>
using interface = caf::typed_actor<
  typename detail::signature<Signatures>::type...>;

/// The object behind an actor of `Interface` whose state is `State`.
template <class Interface, class State>
using pointer_to = typename Interface::template stateful_pointer<State>;

/// Starts an actor whose state class has a `start(arguments...)` that returns
/// its behaviour.
template <class State, caf::spawn_options Options = caf::no_spawn_options,
          class Spawner, class... Arguments>
typename State::interface_type spawn_state(Spawner& spawner,
                                           Arguments... arguments) {
  using interface_type = typename State::interface_type;
  return spawner.template spawn<Options>(
    [](pointer_to<interface_type, State> self, Arguments... args) ->
    typename interface_type::behavior_type {
      return self->state.start(std::move(args)...);
    },
    std::move(arguments)...);
}

/// Sends a message; there is no answer.
template <class Self, class To, class Message>
void tell(Self* self, const To& to, Message message) {
  if (to)
    self->send(to, std::move(message));
}

/// Sends a message once `delay` has passed on the actor's clock.
template <class Self, class To, class Message, class Rep, class Period>
void tell_after(Self* self, const To& to,
                std::chrono::duration<Rep, Period> delay, Message message) {
  self->delayed_send(to, delay, std::move(message));
}

/// Sends a message from outside any actor.
template <class To, class Message>
void tell_anonymously(const To& to, Message message) {
  caf::anon_send(to, std::move(message));
}

template <class To, class Message, class Rep, class Period>
void tell_anonymously_after(const To& to,
                            std::chrono::duration<Rep, Period> delay,
                            Message message) {
  caf::delayed_anon_send(to, delay, std::move(message));
}

/// Sends a message and waits, without blocking, for the answer.
template <class Self, class To, class Timeout, class Message>
auto ask(Self* self, const To& to, Timeout timeout, Message message) {
  return self->request(to, timeout, std::move(message));
}

/// Calls `f(reason)` when `other` ends. One watch for each actor: 0.17 has a
/// single handler.
template <class Self, class Other, class F>
void on_down(Self* self, const Other& other, F f) {
  self->set_down_handler([f = std::move(f)](caf::down_msg& m) { f(m.reason); });
  self->monitor(other);
}

/// Makes a type's fields known to CAF, for messages that cross nodes.
template <class Inspector, class... Fields>
auto inspect_fields(Inspector& f, const char* type, Fields&... fields) {
  return f(caf::meta::type_name(type), fields...);
}

/// The instant on the actor's steady clock; virtual in tests.
template <class Self>
std::chrono::steady_clock::time_point steady_now(Self* self) {
  return self->home_system().clock().now();
}

} // namespace inbox::actors

namespace caf {

template <class T>
requires inbox::actors::local_message<T>
struct allowed_unsafe_message_type<T> : std::true_type {
};

} // namespace caf
