-- Splits a text at its blanks.
local function words(text)
  local list = {}
  for word in text:gmatch('%S+') do list[#list + 1] = word end
  return list
end
