local c = {}
for line in io.lines() do local key, value = line:match("(%S+) (.*)"); if key then c[key] = value end end
local function attempt(what, call)
  local ok, got = pcall(call)
  io.write(ok and got and ("ESCAPED " .. what .. " " .. tostring(got)) or ("HELD " .. what), "\n")
  io.flush()
end
local function slurp(path) local f = io.open(path); return f and f:read("a") end
attempt("file", function() return slurp(c.file) end)
attempt("answer", function() return slurp(c.answer) end)
attempt("environment", function() return os.getenv(c.env) end)
attempt("write", function() local f = io.open(c.world .. "/" .. c.mark, "w"); return f and f:write("x") and 1 end)
attempt("process", function() return os.execute("true") end)
attempt("popen", function() local p = io.popen("echo x"); return p and p:read("l") end)
attempt("signal", function() return os.execute("kill -0 " .. c.pid) end)
