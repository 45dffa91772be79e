-- For wrk: makes requests of templates. Arguments: a number that no other run has, the key, and of each template
-- its weight, method, path and body. {1-100} becomes a number at random, {new} a name that was never used.

dofile(debug.getinfo(1, "S").source:match("@(.*/)") .. "report.lua")

local templates, weights = {}, 0
local unique, made = nil, 0
local get, post

function init(args)
  unique = args[1]
  math.randomseed(tonumber(unique:sub(-9)))
  get = { ["Authorization"] = "Bearer " .. args[2] }
  post = { ["Authorization"] = get["Authorization"], ["Content-Type"] = "multipart/form-data; boundary=frontdesk-bench" }
  for i = 3, #args, 4 do
    weights = weights + tonumber(args[i])
    table.insert(templates, { upTo = weights, method = args[i + 1], path = args[i + 2], body = args[i + 3] })
  end
end

local function filled(text)
  return (text:gsub("{(%d+)-(%d+)}", function(from, to)
    return tostring(math.random(tonumber(from), tonumber(to)))
  end):gsub("{new}", function()
    made = made + 1
    return "c" .. unique .. "-" .. made
  end))
end

local function chosen()
  local place = math.random(weights)
  for _, template in ipairs(templates) do
    if place <= template.upTo then return template end
  end
end

function request()
  local template = chosen()
  local path = filled(template.path)
  if template.method == "GET" then return wrk.format("GET", path, get) end
  return wrk.format(template.method, path, post, filled(template.body))
end
