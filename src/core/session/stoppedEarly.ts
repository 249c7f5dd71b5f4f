import { HostError, isHostError } from '../base/errors.ts';
import { clip, isJsonArray, isJsonObject } from '../base/json.ts';

const MAX_LINES = 3;
const MAX_WORDS = 600;

/** The last output of a process in one line. */
export function lastWords(lines: readonly unknown[]): string {
  return clip(lines.slice(-MAX_LINES).map(String).join(' / '), MAX_WORDS);
}

/** The failure of a process that exits before its session is open. `undefined` for any other failure. */
export function stoppedEarly(error: unknown): HostError | undefined {
  if (!isHostError(error, 'CONNECTION_CLOSED', 'SERVER_EXITED')) return undefined;
  const exit = error.code === 'SERVER_EXITED' ? error : error.cause;
  if (!isHostError(exit, 'SERVER_EXITED') || !isJsonObject(exit.data)) return undefined;
  const { exitCode, signal, stderr } = exit.data;
  const by = typeof signal === 'string' ? `signal ${signal}` : 'unknown exit code';
  const how = typeof exitCode === 'number' ? `exit code ${exitCode}` : by;
  const words = isJsonArray(stderr) ? lastWords(stderr) : '';
  const why = words === '' ? ', without an error message' : `: “${words}”`;
  const { layer, effect, suggestion, data } = exit;
  const message = `The server stopped during startup (${how})${why}.`;
  return new HostError(error.code, message, { layer, effect, suggestion, data, cause: exit });
}
