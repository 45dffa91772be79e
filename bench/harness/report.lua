-- For wrk's scripts: the figures of a run as a line of JSON, latencies in microseconds.

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"answered":%d,"refused":%d,"lost":%d,"microseconds":%d,"p50":%d,"p99":%d}\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration, latency:percentile(50), latency:percentile(99)
  ))
end
