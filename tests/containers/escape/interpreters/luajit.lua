local ffi = require("ffi")
ffi.cdef [[ int socket(int, int, int); int connect(int, const void *, unsigned); int kill(int, int); int fork(void);
  void _exit(int); long ptrace(int, int, void *, void *); int open(const char *, int, ...); long read(int, void *, unsigned long);
  void *mmap(void *, unsigned long, int, int, int, long); char *getenv(const char *); int waitpid(int, int *, int); ]]
local c = {}
for line in io.lines() do local key, value = line:match("(%S+) (.*)"); if key then c[key] = value end end
local function attempt(what, call)
  local ok, got = pcall(call)
  io.write(ok and got and ("ESCAPED " .. what .. " " .. tostring(got)) or ("HELD " .. what), "\n")
  io.flush()
end
local function slurp(path)
  local fd, buffer = ffi.C.open(path, 0), ffi.new("char[256]")
  if fd < 0 then return nil end
  return ffi.string(buffer, ffi.C.read(fd, buffer, 255))
end
attempt("file", function() return slurp(c.file) end)
attempt("answer", function() return slurp(c.answer) end)
attempt("environment", function() local x = ffi.C.getenv(c.env); return x ~= nil and ffi.string(x) end)
attempt("fork", function() local p = ffi.C.fork(); if p == 0 then ffi.C._exit(0) end; return p > 0 and p end)
attempt("connect", function()
  local port = tonumber(c.tcp)
  local address = ffi.new("unsigned char[16]", { 2, 0, math.floor(port / 256), port % 256, 127, 0, 0, 1 })
  local fd = ffi.C.socket(2, 1, 0)
  return fd >= 0 and ffi.C.connect(fd, address, 16) == 0 and fd
end)
attempt("signal", function() return ffi.C.kill(tonumber(c.pid), 0) == 0 end)
attempt("trace", function() return ffi.C.ptrace(16, tonumber(c.pid), nil, nil) == 0 end)
