-- Sends the requests of a file, whole HTTP requests divided by NUL, in turn; prints the figures as one line of JSON.
local requests, at = {}, 0

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  for request in (file:read('*a') .. '\0'):gmatch('(%Z+)%z') do
    requests[#requests + 1] = request
  end
  file:close()
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format('{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"failed":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
