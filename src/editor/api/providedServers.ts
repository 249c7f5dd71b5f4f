import {
  cleanLine,
  type Contributor,
  isJsonObject,
  isObject,
  type JsonObject,
  messageOf,
  type SettingsLayer,
} from '../../core/index.ts';
import { toJson } from '../shared/settingsJson.ts';

const MAX_SERVERS = 50;
/** Maximum size of one definition as JSON. */
const MAX_DEFINITION = 200_000;
const MAX_ID = 200;
const MAX_LABEL = 100;

interface Provided {
  readonly id: string;
  readonly definition: JsonObject;
  readonly label: string | undefined;
}

/**
 * Decodes a provider's servers as a settings layer. The input is untrusted: invalid parts become problems that name the
 * extension, and the rest is used.
 */
export function providedLayer(given: unknown, by: Contributor): SettingsLayer {
  const who = nameText(by);
  const problems: string[] = [];
  const servers = new Map<string, Provided>();
  // Copied, because a foreign array may change its length and members between reads.
  const list: readonly unknown[] = Array.isArray(given) ? given.slice(0, MAX_SERVERS + 1) : [];
  if (!Array.isArray(given)) problems.push(`${who} contributes servers that are no list.`);
  if (list.length > MAX_SERVERS)
    problems.push(`${who} contributes more than ${MAX_SERVERS} servers: only the first count.`);
  for (const [index, item] of list.slice(0, MAX_SERVERS).entries()) {
    const read = readServer(item);
    if (typeof read === 'string') problems.push(`${who}: its server number ${index + 1} ${read}.`);
    else if (servers.has(read.id)) problems.push(`${who} contributes two servers "${cleanLine(read.id, 64)}".`);
    else servers.set(read.id, read);
  }
  const all = [...servers.values()];
  const labels = Object.fromEntries(all.flatMap(({ id, label }) => (label === undefined ? [] : [[id, label]])));
  return {
    scope: 'extension',
    servers: Object.fromEntries(all.map(({ id, definition }) => [id, definition])),
    contributed: { by, labels, problems },
  };
}

/** Keeps the last servers after a failed refresh, so that an error does not stop running servers. */
export function failedLayer(before: SettingsLayer | undefined, by: Contributor, reason: string): SettingsLayer {
  const problem = `${nameText(by)} could not tell its servers: ${cleanLine(reason, 300)}`;
  const labels = before?.contributed?.labels ?? {};
  return { scope: 'extension', servers: before?.servers ?? {}, contributed: { by, labels, problems: [problem] } };
}

/** Short, because rows are narrow. The id is shown next to it. */
function nameText({ name }: Contributor): string {
  return `"${cleanLine(name, 40)}"`;
}

function readServer(item: unknown): Provided | string {
  try {
    if (!isObject(item)) return 'is no object';
    const { id, label, definition } = item;
    if (typeof id !== 'string' || id === '' || id.length > MAX_ID) return 'has no id';
    const value = toJson(definition);
    if (!isJsonObject(value)) return 'has no definition, such as { command: "node" }';
    if (JSON.stringify(value).length > MAX_DEFINITION) return 'has a definition that is too long';
    return { id, definition: value, label: typeof label === 'string' ? cleanLine(label, MAX_LABEL) : undefined };
  } catch (error) {
    return `cannot be read: ${cleanLine(messageOf(error), 200)}`;
  }
}
