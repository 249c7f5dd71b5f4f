/** Wrong words on the command line: shown with how to do it right. */
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
  mcpl host --control [--settings <file>] [--workspace <folder>] [--store <file>] [--log <level>]
      Runs a host that is driven by JSON lines on its standard input (docs/control.md).
  mcpl --help | --version

The command "mcpl-demo" is the demo server that comes with this program.

Options of inspect and call:
  --json               Print JSON.
  --args <json>        call: the arguments as one JSON object; name=value pairs are added to it.
  --cwd <folder>       The working directory of the server.
  --env <NAME=value>   An environment variable of the server; may be repeated.
  --header <Name: v>   A header sent to a URL; may be repeated.
  --timeout <seconds>  How long to wait for an answer. Default: 30 for the start, 60 for a call.
  --verbose            Print the server's log to standard error.

Exit codes: 0 done, 1 the tool reports a failure, 2 wrong usage, 3 the server did not start, 4 the call failed, 130 interrupted.
`;
