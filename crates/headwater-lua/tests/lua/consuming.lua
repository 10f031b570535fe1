-- Fetching, committing, refusing, and groups.
local c = assert(headwater.connect())
assert(c:create_topic("consuming", 1))
assert(c:produce_batch("consuming", { "a", "b", "c" }))

local function values(records)
    local seen = {}
    for _, record in ipairs(assert(records)) do seen[#seen + 1] = record.value end
    return table.concat(seen, " ")
end

-- As many as asked for, in one frame or in several; what was delivered is committed.
assert(values(c:fetch("consuming", "g", 2)) == "a b")
assert(values(c:fetch("consuming", "g", 2, false)) == "c")
assert(values(c:fetch("consuming", "g")) == "")
assert(c:commit("consuming", 1, 1) == true)
local records = assert(c:fetch("consuming", "g"))
assert(values(records) == "b c")
local r = records[1]
assert(r.topic == "consuming" and r.partition == 1 and r.offset == 1 and r.key == "" and #r.headers == 0)
assert(math.abs(r.timestamp / 1000 - os.time()) < 60)

-- A refused record comes again.
local verdict = assert(c:nack("consuming", 1, 1, "not now"))
assert(verdict.dead_lettered == false and verdict.attempts == 1 and verdict.dlq_topic == nil)
assert(values(c:fetch("consuming", "g")) == "b c")

-- One connection, one group; and it does not subscribe as well.
local value, _, code = c:fetch("consuming", "other")
assert(value == nil and code == 13)
value, _, code = c:subscribe("consuming", "g")
assert(value == nil and code == 8)

-- Groups.
local member = assert(headwater.connect())
local joined = assert(member:join_group("team", { "consuming" }))
assert(#joined.member_id > 0 and joined.assignment.consuming[1] == 1)
assert(member:group_heartbeat() and member:group_heartbeat("team", joined.member_id))
value, _, code = member:group_heartbeat("team", "somebody-else")
assert(value == nil and code == 12)
assert(values(member:fetch("consuming", "team")) == "a b c")
local team = assert(c:describe_group("team"))
assert(team.group_id == "team" and team.state == "stable" and #team.members == 1)
assert(team.members[1].assignment.consuming[1] == 1)
assert(team.offsets[1].topic == "consuming" and team.offsets[1].partition == 1 and team.offsets[1].offset == 3)
value, _, code = c:delete_group("team")
assert(value == nil and code == 16)
assert(member:leave_group())
local listed = {}
for _, group in ipairs(assert(c:list_groups())) do listed[group.group_id] = group end
assert(listed.team.state == "empty" and listed.team.member_count == 0)
member:close()
assert(c:delete_group("team"))
c:close()
print("consuming: ok")
