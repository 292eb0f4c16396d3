-- Draws requests at random from a file of lines: method, path, token, body, cookie (requests.ts).
local requests = {}
local seed, count = '', 0

local function formatted(line, body)
  local headers = {}
  if line.token ~= '' then headers['Authorization'] = 'Bearer ' .. line.token end
  if line.cookie ~= '' then headers['Cookie'] = line.cookie end
  if line.body:sub(1, 1) == '{' then headers['Content-Type'] = 'application/json'
  elseif line.body ~= '' then headers['Content-Type'] = 'application/x-www-form-urlencoded' end
  return wrk.format(line.method, line.path, headers, body)
end

function init(args)
  math.randomseed(os.time())
  seed = args[2]
  for text in io.lines(args[1]) do
    local method, path, token, body, cookie = text:match('([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t?(.*)')
    local line = { method = method, path = path, token = token, body = body, cookie = cookie }
    local isTemplate = body:find('{unique}', 1, true) ~= nil
    requests[#requests + 1] = isTemplate and line or formatted(line, body ~= '' and body or nil)
  end
end

function request()
  local drawn = requests[math.random(#requests)]
  if type(drawn) == 'string' then return drawn end
  count = count + 1
  return formatted(drawn, (drawn.body:gsub('{unique}', seed .. count)))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%f,"failures":%d,"p50Ms":%f,"p99Ms":%f}\n',
    summary.requests,
    summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50) / 1000,
    latency:percentile(99) / 1000
  ))
end
