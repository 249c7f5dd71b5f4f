/** Invalid usage, shown with the correct usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `Usage:
  mcpl inspect [options] <command> [argument…]
  mcpl inspect [options] <url>
      Connects to a server and shows what it offers.
  mcpl call [options] <tool> [name=value…] -- <command> [argument…]
  mcpl call [options] <tool> [name=value…] -- <url>
      Calls one tool and prints its result.
  mcpl read [options] <uri> -- <command> [argument…] | <url>
      Reads one resource and prints its content.
  mcpl prompt [options] <name> [name=value…] -- <command> [argument…] | <url>
      Gets one prompt and prints its messages.
  mcpl lineage --store <file> [--limit <number>] [--json] [<server> [<feature set>]]
      Shows the trees of checkpoints in this file, the newest first (20 of each).
  mcpl host --control [--settings <file>] [--workspace <folder>] [--store <file>] [--log <level>]
      Runs a host that is driven by JSON lines on its standard input (docs/control.md).
  mcpl --help | --version

The command "mcpl-demo" is the demo server that comes with this program.

A URL begins with http://, https://, ws:// or wss://. Questions of the server, and whether to sign in, appear on
the terminal.

Options of inspect, call, read and prompt:
  --json               Print JSON.
  --args <json>        call, prompt: the arguments as one JSON object; name=value pairs are added to it.
  --cwd <folder>       The working directory of the server.
  --env <NAME=value>   An environment variable of the server; may be repeated.
  --header <Name: v>   A header sent to a URL; may be repeated.
  --transport <name>   How to speak to a URL: auto (default), http, sse or websocket.
  --era <name>         auto (default) detects it; legacy begins with "initialize", modern without it (2026-07-28).
  --dialect <name>     The short dialect: auto (default) detects it, off, or force.
  --enable <name>      Speak MCPL with this feature set on ("*" for all); may be repeated. Without it, only inspect
                       speaks MCPL, and all sets are off.
  --allow-scope <glob> Targets that are allowed without a question, such as "src/**"; may be repeated. With it, or in a
                       feature set that is declared as scoped, the terminal asks about other targets. Without a
                       terminal they are denied.
  --store <file>       Keep states, and other data that outlives a command, in this file: the next call continues from
                       there. The file identifies a server by the name of its program or machine. Without it, a call
                       starts without a state, and its new state is discarded.
  --timeout <seconds>  How long to wait for an answer. Default: 30 for the start, 60 for a call.
  --verbose            Print the server's log to standard error.

Exit codes: 0 done, 1 the tool reports a failure, 2 wrong usage, 3 the server did not start, 4 the call, the
reading or the prompt failed, 130 interrupted.
`;
