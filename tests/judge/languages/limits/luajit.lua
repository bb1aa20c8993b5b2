local what, n = io.read("l"):match("(%S+) (%S+)")
n = tonumber(n)
local function depth(n) if n == 0 then return 0 end return 1 + depth(n - 1) end
if what == "memory" then
  local parts = {}
  for i = 1, n do parts[i] = string.rep(string.char(i % 256), 1048576) end
  n = #parts
elseif what == "depth" then n = depth(n)
else error("fail") end
print("done " .. n)
