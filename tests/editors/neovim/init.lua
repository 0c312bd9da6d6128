-- A user's configuration, as the README gives it: the repository on the 'runtimepath', the server
-- enabled. The environment says which executable and which transcript the test wants.
vim.o.swapfile = false
vim.opt.runtimepath:prepend(vim.env.ASSAY_REPOSITORY)
vim.lsp.config('assay', {
  cmd = { vim.env.ASSAY, 'server' },
  init_options = { replay = vim.env.ASSAY_REPLAY },
})
vim.lsp.enable('assay')
-- A save before the server listens starts no check: whoever looks at the screen waits for this.
vim.api.nvim_create_autocmd('LspAttach', {
  callback = function()
    vim.notify('assay is attached')
  end,
})
vim.diagnostic.config({ virtual_text = { prefix = '■' } })
