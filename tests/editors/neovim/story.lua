-- Run inside `nvim --headless -u init.lua FILE -S story.lua`: has one function checked, saves, hovers,
-- takes the quick fix and saves again, with the commands that the keys are bound to. It writes down
-- what it saw to STORY_SEEN; the test that started it judges. A wait that ends in nothing is written
-- down as `failed`.

local WAIT = tonumber(vim.env.STORY_WAIT_SECONDS) * 1000
local FUNCTION = vim.env.STORY_FUNCTION
local seen = {}

local function wait_for(what, found)
  local value
  local happened = vim.wait(WAIT, function()
    value = found()
    return value
  end, 50)
  if not happened then
    error('waited in vain for ' .. what, 0)
  end
  return value
end

local function function_line()
  for number, text in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    if text:match('def ' .. FUNCTION .. '%(') then
      return number, text
    end
  end
  error('no function ' .. FUNCTION, 0)
end

local function cursor_on_name()
  local number, text = function_line()
  vim.api.nvim_win_set_cursor(0, { number, text:find(FUNCTION, 1, true) - 1 })
  return number
end

local function warnings(line)
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0, { lnum = line and line - 1 })) do
    local row = vim.api.nvim_buf_get_lines(0, diagnostic.lnum, diagnostic.lnum + 1, false)[1]
    table.insert(found, {
      line = diagnostic.lnum + 1,
      marked = row:sub(diagnostic.col + 1, diagnostic.end_col),
      source = diagnostic.source,
      code = diagnostic.code,
      message = diagnostic.message,
    })
  end
  return found
end

local function floating_text()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      local buffer = vim.api.nvim_win_get_buf(window)
      local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
      vim.api.nvim_win_close(window, true)
      return text
    end
  end
end

-- The hover's text, or nothing if the server stays silent for a moment.
local function hovered()
  vim.lsp.buf.hover({ silent = true })
  local text
  vim.wait(1000, function()
    text = floating_text()
    return text
  end, 50)
  return text
end

-- The menu is `vim.ui.select`, whatever draws it: answer it as a user would, by its titles.
local function choose(title)
  seen.actions = {}
  vim.ui.select = function(items, options, on_choice)
    for index, item in ipairs(items) do
      local text = options.format_item and options.format_item(item) or item.action.title
      table.insert(seen.actions, text)
      if text:find(title, 1, true) then
        return on_choice(item, index)
      end
    end
    on_choice(nil, nil)
  end
end

local function story()
  wait_for('the server', function()
    local client = vim.lsp.get_clients({ bufnr = 0, name = 'assay' })[1]
    return client and client.initialized
  end)
  local client = vim.lsp.get_clients({ bufnr = 0, name = 'assay' })[1]
  seen.encoding = client.offset_encoding
  seen.commands = vim.tbl_keys(vim.api.nvim_buf_get_commands(0, {}))

  local line = cursor_on_name()
  vim.cmd.LspAssayCheckFunction()
  seen.on_demand = wait_for('a warning', function()
    local found = warnings()
    return #found > 0 and found
  end)
  vim.cmd.write()
  wait_for("another function's warning", function()
    return #warnings() > #seen.on_demand
  end)
  seen.before = warnings(line)
  seen.lens = wait_for('a verdict over the function', function()
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })) do
      local shown = {}
      for _, piece in ipairs(mark[4].virt_text or (mark[4].virt_lines or {})[1] or {}) do
        table.insert(shown, piece[1])
      end
      local text = table.concat(shown)
      if text:find('suspect: ' .. FUNCTION, 1, true) then
        return text
      end
    end
  end)
  seen.status = wait_for('the status', function()
    return vim.g.assay_status and vim.g.assay_status:find('suspect') and vim.g.assay_status
  end)

  cursor_on_name()
  seen.hover = wait_for('the hover', hovered)

  choose('Replace with')
  local tick = vim.api.nvim_buf_get_changedtick(0)
  cursor_on_name()
  vim.lsp.buf.code_action()
  wait_for('the quick fix', function()
    return vim.api.nvim_buf_get_changedtick(0) ~= tick
  end)
  seen.buffer = vim.api.nvim_buf_get_lines(0, 0, -1, false)

  vim.cmd.write()
  -- The edit alone takes the warning away. That there is a report again says that it was checked.
  cursor_on_name()
  seen.hover_after = wait_for('a report on the candidate', hovered)
  wait_for('the warning to be gone', function()
    return #warnings(function_line()) == 0
  end)
end

local ok, problem = xpcall(story, function(err)
  return type(err) == 'string' and err or debug.traceback(tostring(err))
end)
if not ok then
  seen.failed = problem
  seen.messages = vim.fn.execute('messages')
end
vim.fn.writefile({ vim.json.encode(seen) }, vim.env.STORY_SEEN)
vim.cmd.qall({ bang = true })
