-- What calls give and what they raise.
local c = assert(headwater.connect{ client_name = "conventions", timeout = 10 })

local function raises(expected, call, ...)
    local ok, message = pcall(call, ...)
    assert(not ok, "nothing raised instead of: " .. expected)
    assert(tostring(message):find(expected, 1, true), tostring(message) .. "\nis not: " .. expected)
end

local function refuses(code, value, message, given)
    assert(value == nil, "not refused")
    assert(type(message) == "string" and #message > 0)
    assert(given == code, tostring(given) .. " is not " .. tostring(code) .. ": " .. message)
end

-- Wrong types raise, with the argument's name.
raises("bad argument 'topic' (string expected, got nil)", c.produce, c)
raises("bad argument 'key' (string expected, got integer)", c.produce, c, "t", 1, "v")
raises("bad argument 'value' (string expected, got nil)", c.produce, c, "t", "k")
raises("bad argument 'headers' (table expected, got string)", c.produce, c, "t", "k", "v", "h")
raises("bad argument 'records[2]' (string or table expected, got boolean)", c.produce_batch, c, "t", { "a", true })
raises("bad argument 'records[1].value' (string expected, got integer)", c.produce_batch, c, "t", { { value = 1 } })
raises("bad argument 'group' (string expected, got nil)", c.fetch, c, "t")
raises("bad argument 'max' (integer expected, got string)", c.fetch, c, "t", "g", "10")
raises("bad argument 'max' (it is negative)", c.fetch, c, "t", "g", -1)
raises("bad argument 'batched' (boolean expected, got integer)", c.fetch, c, "t", "g", 10, 1)
raises("bad argument 'timeout' (number expected, got string)", c.next_record, c, "soon")
raises("bad argument 'offset' (integer expected, got nil)", c.commit, c, "t", 1)
raises("bad argument 'partitions' (integer expected, got number)", c.create_topic, c, "t", 1.5)
raises("bad argument 'topics' (string or table expected, got nil)", c.join_group, c, "g")
raises("bad argument 'group' (this client has joined none)", c.group_heartbeat, c)
raises("bad argument 'config.retention.ms' (string expected, got boolean)", c.alter_topic_config, c, "t",
    { ["retention.ms"] = true })
raises("bad argument 'offsets[1].offset' (integer expected, got nil)", c.send_offsets_to_transaction, c, "g",
    { { topic = "t", partition = 1 } })
raises("bad argument 'name' (it is not UTF-8)", c.create_topic, c, "\xff", 1)
raises("bad argument 'value' (string expected, got table)", headwater.decode_dlq_value, {})

-- And so do options.
raises("bad argument 'options' (table expected, got string)", require("headwater").connect, "here")
raises("bad argument 'compression' (it is 'none', 'gzip', 'snappy' or 'zstd')", headwater.connect, { compression = "lz4" })
raises("bad argument 'hosts[2]' (string expected, got integer)", headwater.connect, { hosts = { "a:1", 2 } })
raises("bad argument 'tls' (it is not supported)", headwater.connect, { tls = true })
raises("bad argument 'compresion' (there is no such option)", headwater.connect, { compresion = "gzip" })

-- Refusals are values.
refuses(5, c:produce("missing", "k", "v"))
refuses(5, c:delete_topic("missing"))
refuses(15, c:describe_group("missing"))
refuses(51, c:begin_transaction())
refuses(nil, headwater.connect{ hosts = { "127.0.0.1:1" } })
refuses(nil, headwater.decode_dlq_value("\x63"))
refuses(nil, c:produce_at_seq("t", "k", "v", 0))

-- Topics.
assert(c:create_topic("conventions", 2) == true)
refuses(select(3, c:create_topic("conventions", 2)), c:create_topic("conventions", 2))
local acks = assert(c:produce_batch("conventions", { "plain", { value = "keyed", key = "k" }, {} }))
assert(#acks == 3 and acks[1].partition >= 1 and acks[1].partition <= 2 and math.type(acks[1].offset) == "integer")
assert(acks[1].seq == nil and c.pid == nil and c.epoch == nil)
assert(#assert(c:produce_batch("conventions", {})) == 0)
assert(c:alter_topic_config("conventions", { retention = 3600 }))

-- An idempotent producer knows its numbers.
local once = assert(headwater.connect{ idempotent = true })
assert(math.type(once.pid) == "integer" and once.epoch == 0)
assert(assert(once:produce("conventions", "k", "a")).seq == 0)
assert(assert(once:produce_batch("conventions", { "b", "c" }))[2].seq == 2)
once:close()

-- A closed client says so.
assert(c.closed == false and c.server and c.server_version:find("capabilities=headers", 1, true))
assert(c:close() == true and c.closed == true)
local value, message, code = c:list_topics()
assert(value == nil and message:find("closed") and code == nil)
print("conventions: ok")
