-- For wrk: requests for hosts at random. Arguments: how many hosts there are, the path, and an Authorization or none.

local requests = {}

function init(args)
  math.randomseed(os.time())
  for number = 1, 20000 do
    requests[number] = wrk.format("GET", args[2], {
      ["Host"] = "www" .. math.random(tonumber(args[1])) .. ".edge.example.com",
      ["Authorization"] = args[3],
    })
  end
end

function request()
  return requests[math.random(#requests)]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"answered":%d,"refused":%d,"lost":%d,"microseconds":%d,"p50":%d,"p99":%d}\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration, latency:percentile(50), latency:percentile(99)
  ))
end
