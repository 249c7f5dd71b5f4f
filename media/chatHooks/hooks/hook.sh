#!/bin/sh
# A hook of the editor's chat: hands what it is given on standard input to MCP Live in the same window, and prints what that
# answers, which is JSON. Whatever goes wrong, it prints nothing, and the exit code is 0: the chat goes on without it.
#
# $1 is the process that runs the hook. Files of windows are named <process>@<machine>; src/node/chatHookFiles.ts writes them.
exec 2>/dev/null

folder=$HOME/.mcp-live/chat-hooks
host=$(uname -n | tr -c 'A-Za-z0-9_.\n-' '_')

# The window that runs in the same process, else the only living one that has this folder open.
window() {
  [ -f "$folder/$1@$host" ] && printf '%s' "$folder/$1@$host" && return
  here=$(pwd -P | od -An -v -tx1 | tr -d ' \n')
  found=
  for file in "$folder"/*@"$host"; do
    process=${file##*/}
    kill -0 "${process%%@*}" && grep -qxF "# ${here%0a}" "$file" || continue
    [ -z "$found" ] || return
    found=$file
  done
  printf '%s' "$found"
}

file=$(window "$1")
if [ -n "$file" ]; then
  # The token is in the file, so that it stands on no command line. No proxy and no settings of the user's own.
  answer=$(curl -q -sf -m 5 --noproxy '*' -X POST -H 'Expect:' --data-binary @- -K "$file") &&
    [ -n "$answer" ] && printf '%s\n' "$answer"
fi
# Whoever writes to a closed pipe fails.
cat >/dev/null
exit 0
