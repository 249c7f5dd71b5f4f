# The same as hook.sh, for Windows: prints what MCP Live answers, or nothing, and always exits with 0.
$ErrorActionPreference = 'SilentlyContinue'
try {
  $folder = Join-Path $env:USERPROFILE '.mcp-live\chat-hooks'
  $here = (Get-Location).ProviderPath.ToLowerInvariant()
  $mark = '# ' + (-join ([Text.Encoding]::UTF8.GetBytes($here) | ForEach-Object { $_.ToString('x2') }))
  # The living windows that have this folder open. Two of them: nobody can say which one is meant.
  $files = @(Get-ChildItem -LiteralPath $folder -File | Where-Object {
      ($_.Name -match '^(\d+)@') -and (Get-Process -Id $Matches[1]) -and ((Get-Content -LiteralPath $_.FullName) -contains $mark)
    })
  if ($files.Count -eq 1) {
    curl.exe -q -sf -m 5 --noproxy '*' -X POST -H 'Expect:' --data-binary '@-' -K $files[0].FullName
  }
} catch { }
exit 0
