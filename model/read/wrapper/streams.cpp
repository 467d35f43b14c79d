// Streams, events, host synchronisation and collectives.
//
// `get_raw_stream` gives the stream that is current when it is called; a variable that holds it goes stale
// when the current stream changes (B9). A collective runs beside the program until wait_tensor: it gets a
// stream of its own.
#include "model/read/wrapper/evaluator.hpp"

namespace bufferproof::model::wrapper {
namespace {

std::string_view last_part(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace

std::optional<std::string> Evaluator::stream_of(const Value& value) {
  return value.is(Value::Kind::stream) ? std::optional(value.name) : std::nullopt;
}

Value Evaluator::new_stream(const std::string& wanted) {
  const std::string stream = builder_.fresh(named(wanted, "stream"));
  state_.streams.insert(stream);
  return Value::of(Value::Kind::stream, stream);
}

std::optional<Value> Evaluator::stream_call(const std::string& path, const Expr& call,
                                            const std::string& wanted) {
  const std::string_view function = last_part(path);
  if (function.find("get_raw_stream") != std::string_view::npos || function == "get_cuda_stream" ||
      function == "get_xpu_stream" || function == "get_current_raw_stream" || function == "current_stream" ||
      function.find("getCurrentRawStream") != std::string_view::npos)
    return Value::of(Value::Kind::stream, state_.current_stream);
  if (function == "Stream") return new_stream(wanted);
  if (function == "Event") return Value::of(Value::Kind::event, builder_.fresh(named(wanted, "event")));
  if (function == "get_external_object_by_index") {
    const Expr* index = positional(call, 0);
    const std::string object = external_object(index ? eval(*index) : Value{});
    state_.streams.insert(object);
    return Value::of(Value::Kind::stream, object);
  }
  if (function == "stream") {  // with torch.npu.stream(s):
    const Expr* inner = positional(call, 0);
    if (inner) return eval(*inner);
  }
  if (function == "set_stream") {
    const Expr* inner = positional(call, 0);
    const auto stream = inner ? stream_of(eval(*inner)) : std::nullopt;
    if (!stream) throw Outside{"a switch to an unknown stream"};
    state_.current_stream = *stream;
    return Value{};
  }
  if (function == "synchronize") {  // of the device
    synchronize_device();
    return Value{};
  }
  return std::nullopt;
}

void Evaluator::synchronize_device() {
  for (const std::string& stream : state_.streams) builder_.step(HostSync{stream});
}

void Evaluator::wait_stream(const std::string& waiting, const std::string& awaited) {
  const std::string join = builder_.fresh("join");
  builder_.step(Signal{join, awaited});
  builder_.step(Wait{join, waiting});
}

Value Evaluator::stream_method(const Value& stream, std::string_view name, const Expr& call,
                               const std::string& wanted) {
  const Expr* first = positional(call, 0);
  const Value other = first ? eval(*first) : Value{};
  const std::string event = other.name;
  if (name == "wait_event" && first) {
    builder_.step(Wait{event, stream.name});
  } else if (name == "wait_stream" && first) {
    wait_stream(stream.name, other.name);
  } else if (name == "record_event") {
    const std::string made = first ? event : builder_.fresh(named(wanted, "event"));
    builder_.step(Signal{made, stream.name});
    return Value::of(Value::Kind::event, made);
  } else if (name == "record" || name == "wait") {
    return event_method(stream, name, call);  // an external object whose kind only its use tells
  } else if (name == "synchronize") {
    builder_.step(HostSync{stream.name});
  } else {
    throw Outside{"the stream method " + std::string(name)};
  }
  return Value{};
}

Value Evaluator::event_method(const Value& event, std::string_view name, const Expr& call) {
  const Expr* first = positional(call, 0);
  const std::string stream =
      first ? stream_of(eval(*first)).value_or(state_.current_stream) : state_.current_stream;
  if (name == "record") {
    builder_.step(Signal{event.name, stream});
  } else if (name == "wait") {
    builder_.step(Wait{event.name, stream});
  } else if (name == "synchronize") {
    builder_.step(Wait{event.name, "host"});
  } else {
    throw Outside{"the event method " + std::string(name)};
  }
  return Value{};
}

/// Streams and events that Dynamo keeps by number; number 0 is the stream that was current before.
std::string Evaluator::external_object(const Value& index) {
  const auto number = index.is(Value::Kind::integer) ? index.number.constant() : std::nullopt;
  if (!number) throw Outside{"a stream or event whose number is not known"};
  return *number == 0 ? "default" : "external" + std::to_string(*number);
}

/// torch.ops.streams.*: torch/_dynamo/variables/streams.py.
std::optional<Value> Evaluator::torch_stream_operator(const std::string& op,
                                                      const std::vector<Value>& operands) {
  const auto object = [&](std::size_t at) {
    return external_object(at < operands.size() ? operands[at] : Value{});
  };
  if (op == "record_event") {
    builder_.step(Signal{object(0), object(1)});
  } else if (op == "wait_event" || op == "sync_dealloc") {
    builder_.step(Wait{object(0), object(1)});
  } else if (op == "wait_stream") {
    wait_stream(object(0), object(1));
  } else if (op == "synchronize_event") {
    builder_.step(Wait{object(0), "host"});
  } else if (op == "synchronize_stream") {
    builder_.step(HostSync{object(0)});
  } else if (op == "synchronize_device") {
    synchronize_device();
  } else {
    throw Outside{"the stream operator " + op};
  }
  return Value{};
}

/// torch.ops.npu_stream.*: streams and events by tag; each hands its tensors through.
std::optional<Value> Evaluator::npu_stream_operator(const std::string& op, const Expr& call) {
  const auto text = [&](std::size_t index, std::string_view name) -> std::string {
    const Expr* given = argument(call, index, name);
    const Value value = given ? eval(*given) : Value{};
    if (!value.is(Value::Kind::text)) throw Outside{"a stream operator without a tag"};
    return value.name;
  };
  if (op == "npu_set_stream") {
    state_.current_stream = text(1, "stream_tag");
    state_.streams.insert(state_.current_stream);
  } else if (op == "npu_event_record") {
    builder_.step(Signal{text(1, "event_tag"), text(2, "stream_tag")});
  } else if (op == "npu_event_wait") {
    builder_.step(Wait{text(1, "event_tag"), state_.current_stream});
  } else if (op != "graph_break") {
    return std::nullopt;
  }
  const Expr* dependency = argument(call, 0, "dependency");
  return dependency ? eval(*dependency) : Value{};
}

void Evaluator::wait_tensor(const std::string& handle) {
  const auto pending = state_.in_flight.find(builder_.storage_of(handle));
  if (pending == state_.in_flight.end()) return;
  builder_.step(Wait{pending->second, state_.current_stream});
  state_.in_flight.erase(pending);
}

/// The host reads the whole tensor: it waits for the stream.
void Evaluator::read_on_host(const std::string& handle, const std::string& what) {
  builder_.launch(what, {whole(Clause::Kind::read, handle)}, {}, state_.current_stream);
  builder_.step(HostSync{state_.current_stream});
}

}  // namespace bufferproof::model::wrapper
