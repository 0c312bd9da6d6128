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
-- judge        'off', 'on-disagreement' or 'always': when a judge is asked; see docs/findings/ASY102.md
-- replay       a transcript of `assay check --record FILE` to take the replies from
-- logLevel     'error', 'warning', 'info' or 'debug'
--
-- Further options (logFile, offline, trusted) and what is checked when: docs/configuration.md.
--
-- Keys are read from the environment only.

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
  add('TriangulateFunction', 'Triangulate the function under the cursor', 'triangulateFunction', function()
    local cursor = vim.lsp.util.make_position_params(0, client.offset_encoding).position
    return { vim.uri_from_bufnr(buffer), cursor }
  end)
  add('CancelAll', 'Cancel all checks', 'cancelAll', function()
    return {}
  end)
end

--- @type vim.lsp.Config
return {
  cmd = { 'assay', 'server' },
  filetypes = { 'python' },
  root_markers = { 'pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', '.git' },
  on_attach = add_commands,
}
