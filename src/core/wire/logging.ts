import type { Json, JsonObject } from '../base/json.ts';
import { LOG_LEVELS, type LogLevelName } from '../model/catalog.ts';
import { type Decoded, invalid, ok, text } from './members.ts';

/** The params of `notifications/message`. */
interface LogMessage {
  readonly level: LogLevelName;
  readonly logger: string | undefined;
  readonly data: Json;
}

/** Common aliases of syslog levels. */
const ALIASES: ReadonlyMap<string, LogLevelName> = new Map([
  ['trace', 'debug'],
  ['warn', 'warning'],
  ['err', 'error'],
  ['fatal', 'critical'],
]);

export function decodeLogMessage(params: JsonObject): Decoded<LogMessage> {
  const level = params['level'];
  if (typeof level !== 'string') return invalid('the message names no level');
  return ok({ level: decodeLevel(level), logger: text(params['logger']), data: params['data'] ?? null });
}

function decodeLevel(level: string): LogLevelName {
  const name = level.toLowerCase();
  return LOG_LEVELS.find((known) => known === name) ?? ALIASES.get(name) ?? 'info';
}
