-- What the tests ask of most languages: MODE N, and for `sort` N numbers.
local mode, n = io.read("*l"):match("(%a+) (%d+)")
n = tonumber(n)

if mode == "sort" then
    local numbers = {}
    for word in io.read("*l"):gmatch("%S+") do numbers[#numbers + 1] = tonumber(word) end
    table.sort(numbers)
    for _, number in ipairs(numbers) do print(string.format("%d", number)) end
elseif mode == "hoard" then
    local all = {}
    while true do all[#all + 1] = string.rep("x", 1000000) .. #all end
elseif mode == "spin" then
    while true do end
elseif mode == "throw" then
    error("thrown")
elseif mode == "exit" then
    os.exit(n)
end
