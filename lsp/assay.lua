-- Assay for Neovim 0.11 and newer. With this repository on the 'runtimepath':
--
--   vim.lsp.enable('assay')
--
-- Options are merged into the ones below, for example
--
--   vim.lsp.config('assay', { init_options = { interpreter = '.venv/bin/python' } })
--
-- interpreter  the Python that runs the functions being checked; without it, Assay looks for one
-- trigger      'save' or 'manual' (then :LspAssayCheckFile and :LspAssayCheckFunction do it)
-- replay       a transcript of `assay check --record FILE` to take the replies from
-- logLevel     'error', 'warning', 'info' or 'debug'
--
-- Keys are read from the environment only.

--- @param client vim.lsp.Client
--- @param command string
--- @param arguments any[]
local function execute(client, command, arguments)
  -- A void command's handler is needed all the same: the default one warns about its absence.
  client:request('workspace/executeCommand', { command = command, arguments = arguments }, function(err)
    if err then
      vim.notify('assay: ' .. err.message, vim.log.levels.ERROR)
    end
  end)
end

--- Code actions and hover are Neovim's own; these are for what is neither.
local function add_commands(client, buffer)
  local function command(name, description, run)
    vim.api.nvim_buf_create_user_command(buffer, 'LspAssay' .. name, run, { desc = description })
  end
  command('CheckFile', 'Check the functions of this file', function()
    execute(client, 'assay.server.checkFile', { vim.uri_from_bufnr(buffer) })
  end)
  command('CheckFunction', 'Check the function under the cursor', function()
    local position = vim.lsp.util.make_position_params(0, client.offset_encoding).position
    execute(client, 'assay.server.checkFunction', { vim.uri_from_bufnr(buffer), position })
  end)
  command('CancelAll', 'Cancel all checks', function()
    execute(client, 'assay.server.cancelAll', {})
  end)
end

--- @type vim.lsp.Config
return {
  cmd = { 'assay', 'server' },
  filetypes = { 'python' },
  root_markers = { 'pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', '.git' },
  on_attach = add_commands,
}
