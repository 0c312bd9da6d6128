-- Assay for Neovim 0.11 and newer. With this repository on the 'runtimepath':
--
--   vim.lsp.enable('assay')
--
-- Options are merged into the ones below, for example
--
--   vim.lsp.config('assay', { init_options = { interpreter = '.venv/bin/python' } })
--
-- interpreter  the Python that runs the functions being checked; without it, Assay looks for one
-- trigger      what a save checks: 'changed' (since the last commit), 'save' (all without a report), or
--              'manual': nothing, then :LspAssayCheckFile and :LspAssayCheckFunction do it
-- askAbove     a check that would send more requests than this asks first
-- codeLens     whether each function has a line over it with its verdict
-- judge        'off', 'on-disagreement' or 'always': when a judge is asked; see docs/findings/ASY102.md
-- replay       a transcript of `assay check --record FILE` to take the replies from
-- logLevel     'error', 'warning', 'info' or 'debug'
--
-- Further options (logFile, offline, trusted) and what is checked when: docs/configuration.md. Commands,
-- lenses and the status line: :help assay
--
-- Keys are read from the environment only.
--
-- A plugin that has a model can answer for it, so that no key is needed. It announces what its user has
-- chosen, and gives the reply, or an error with a reason of docs/protocol.md:
--
--   vim.lsp.config('assay', {
--     capabilities = { experimental = { assay = { complete = { models = { { id = 'plugin/model' } } } } } },
--     handlers = {
--       ['assay/complete'] = function(_, params)
--         local handler = coroutine.running() -- Neovim runs each handler in one
--         my_plugin.chat(params.model, params.messages, function(text, refused)
--           coroutine.resume(handler, text, refused)
--         end)
--         local text, refused = coroutine.yield()
--         if not text then
--           local codes = vim.lsp.protocol.ErrorCodes
--           local reason = { reason = 'unavailable' } -- or 'consent', 'quota'
--           return nil, vim.lsp.rpc_response_error(codes.RequestFailed, refused, reason)
--         end
--         return { text = text, usage = vim.NIL }
--       end,
--     },
--   })

--- Lenses are Neovim's own, too, but have to be asked for, and before 0.12 again and again.
--- @param buffer integer
local function show_lenses(buffer)
  if vim.lsp.codelens.enable then
    return vim.lsp.codelens.enable(true, { bufnr = buffer })
  end
  local function refresh()
    vim.lsp.codelens.refresh({ bufnr = buffer })
  end
  refresh()
  vim.api.nvim_create_autocmd({ 'BufEnter', 'BufWritePost', 'DiagnosticChanged', 'InsertLeave' }, {
    buffer = buffer,
    callback = refresh,
    desc = 'Show what Assay says over each function',
  })
end

--- Code actions and hover are Neovim's own; these are for what is neither.
--- @param client vim.lsp.Client
--- @param buffer integer
local function add_commands(client, buffer)
  local function add(name, description, command, arguments)
    vim.api.nvim_buf_create_user_command(buffer, 'LspAssay' .. name, function()
      client:exec_cmd({
        title = description,
        command = 'assay.server.' .. command,
        arguments = arguments(),
      }, { bufnr = buffer })
    end, { desc = description })
  end

  add('CheckFile', 'Check the functions of this file', 'checkFile', function()
    return { vim.uri_from_bufnr(buffer) }
  end)
  add('CheckFunction', 'Check the function under the cursor', 'checkFunction', function()
    local cursor = vim.lsp.util.make_position_params(0, client.offset_encoding).position
    return { vim.uri_from_bufnr(buffer), cursor }
  end)
  add('TriangulateFunction', 'Check the function under the cursor thoroughly', 'triangulateFunction', function()
    local cursor = vim.lsp.util.make_position_params(0, client.offset_encoding).position
    return { vim.uri_from_bufnr(buffer), cursor }
  end)
  add('CompareFunction', 'Compare the function under the cursor with the last commit', 'compareFunction', function()
    local cursor = vim.lsp.util.make_position_params(0, client.offset_encoding).position
    return { vim.uri_from_bufnr(buffer), cursor }
  end)
  add('CancelAll', 'Cancel all checks', 'cancelAll', function()
    return {}
  end)
  add('AskConsent', 'Ask again what waits for an answer', 'askConsent', function()
    return {}
  end)
end

--- @type vim.lsp.Config
return {
  cmd = { 'assay', 'server' },
  filetypes = { 'python' },
  root_markers = { 'pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', '.git' },
  capabilities = { experimental = { assay = { status = true } } },
  handlers = {
    -- For a 'statusline': %{get(g:, 'assay_status', '')}
    ['assay/status'] = function(_, status)
      vim.g.assay_status = status.message
      vim.cmd.redrawstatus()
    end,
  },
  on_attach = function(client, buffer)
    add_commands(client, buffer)
    show_lenses(buffer)
  end,
}
