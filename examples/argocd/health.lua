-- The health of a Monitor for Argo CD. A site that is down does not make an application degraded: its checks show in
-- the message.
local hs = {}

if obj.metadata.deletionTimestamp ~= nil then
  hs.status = "Progressing"
  hs.message = "The monitor is being deleted."
  return hs
end

local status = obj.status or {}
local ready = nil
local healthy = nil
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "Ready" then ready = condition end
  if condition.type == "Healthy" then healthy = condition end
end

local generation = obj.metadata.generation or 0
local observed = status.observedGeneration or -1
if ready == nil or observed < generation or (ready.observedGeneration or -1) < generation then
  hs.status = "Progressing"
  hs.message = "The operator has not handled this resource yet."
  return hs
end

hs.message = ready.message
if ready.status == "False" then
  hs.status = "Degraded"
elseif ready.status ~= "True" then
  hs.status = "Progressing"
elseif ready.reason == "Suspended" then
  hs.status = "Suspended"
else
  hs.status = "Healthy"
  if healthy ~= nil and healthy.status == "False" then
    hs.message = "The monitor does not succeed: " .. healthy.message
  end
end
return hs
