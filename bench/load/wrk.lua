-- Sends the HTTP requests of a file, separated by NUL, in turn, and prints the figures as one line of JSON. With a
-- second file, the request in that file is sent after each 201 response with a token, with {id} and {token} replaced by
-- the first ones of the response, and {length} by the body's length. A 204 response then counts as failed.
local requests, at, follower, followers, threads = {}, 0, nil, {}, {}
unfollowed = 0

local function read(name)
  local file = assert(io.open(name, 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

local function follow(status, _, body)
  local token = status == 201 and body:match('"token":"([^"]+)"')
  if token then
    local values = { id = body:match('"id":"([^"]+)"'), token = token }
    local own = follower.body:gsub('{(%l+)}', values)
    values.length = #own
    followers[#followers + 1] = follower.head:gsub('{(%l+)}', values) .. own
  elseif status == 204 then
    unfollowed = unfollowed + 1
  end
end

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  for request in (read(args[1]) .. '\0'):gmatch('(%Z+)%z') do
    requests[#requests + 1] = request
  end
  if args[2] then
    local head, body = read(args[2]):match('^(.-\r\n\r\n)(.*)$')
    follower, response = { head = head, body = body }, follow
  end
end

function request()
  if #followers > 0 then return table.remove(followers) end
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  for _, thread in ipairs(threads) do failed = failed + thread:get('unfollowed') end
  print(string.format('{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"failed":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, failed))
end
