-- For wrk: requests for hosts at random. Arguments: how many hosts there are, the path, and an Authorization or none.

dofile(debug.getinfo(1, "S").source:match("@(.*/)") .. "report.lua")

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
