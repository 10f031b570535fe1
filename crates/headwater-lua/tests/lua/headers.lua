-- Headers, there and back.
local c = assert(headwater.connect())
assert(c:create_topic("headers", 1))

local function raises(expected, headers)
    local ok, message = pcall(c.produce, c, "headers", "k", "v", headers)
    assert(not ok and tostring(message):find(expected, 1, true), tostring(message))
end

raises("bad argument 'headers' (it is neither a map of strings nor a list of pairs)", { { "a", "1" }, b = "2" })
raises("bad argument 'headers' (it is neither a map of strings nor a list of pairs)", { [true] = "1" })
raises("bad argument 'headers[1]' (table expected, got string)", { "a", "1" })
raises("bad argument 'headers[2].value' (string expected, got nil)", { { "a", "1" }, { "b" } })
raises("bad argument 'headers['a']' (string expected, got boolean)", { a = true })

local function round_trip(headers)
    assert(c:produce("headers", "k", "v", headers))
    local records = assert(c:fetch("headers", "g"))
    assert(#records == 1)
    local seen = {}
    for _, header in ipairs(records[1].headers) do
        seen[#seen + 1] = header.name .. "=" .. header.value
    end
    return table.concat(seen, ","), records[1]
end

local function check(expected, headers)
    local seen, record = round_trip(headers)
    assert(seen == expected, seen .. " is not " .. expected)
    -- What was delivered may be given as it is.
    assert(round_trip(record.headers) == expected)
end

check("", nil)
check("", {})
check("a=1,b=,c=\0\xff", { c = "\0\xff", a = "1", b = "" })
check("z=1,a=2,z=3", { { "z", "1" }, { "a", "2" }, { name = "z", value = "3" } })

-- A name is not empty, and what is refused is not appended.
local value, message, code = c:produce("headers", "k", "v", { [""] = "1" })
assert(value == nil and code == 1, tostring(message))
local many = {}
for index = 1, 257 do many[index] = { "n", "v" } end
value, message, code = c:produce("headers", "k", "v", many)
assert(value == nil and code == 1, tostring(message))
assert(#assert(c:fetch("headers", "g")) == 0)
c:close()
print("headers: ok")
