import { INVALID_PARAMS, RpcError } from './rpcError.ts';
import { type Fields, isFields } from './schema.ts';

/** The scope that the host grants to one call (MCPL §7.7). */
export interface CallScope {
  readonly label: string;
  readonly payload: Fields | undefined;
}

/** Bounds the work for a hostile host: more values than this are ignored. */
const MAX_VALUES = 100;
const PATH_KEYS = new Set(['path', 'paths', 'file', 'files', 'from', 'to', 'target', 'targets']);
const MAX_LABEL = 4_096;
const MAX_SHOWN = 2_000;

/** Reads the `scope` next to the arguments of a call. `undefined` if the host sends none. */
export function scopeOf({ scope }: Fields): CallScope | undefined {
  if (scope === undefined) return undefined;
  const { label, payload } = isFields(scope) ? scope : {};
  if (typeof label !== 'string' || label.length > MAX_LABEL)
    throw new RpcError(INVALID_PARAMS, `scope must be an object with a "label" of up to ${MAX_LABEL} characters.`);
  if (payload !== undefined && !isFields(payload))
    throw new RpcError(INVALID_PARAMS, 'The payload of a scope must be an object.');
  return { label, payload };
}

/** Every value of the scope that looks like a path. Each host has its own format for scopes. */
export function pathsOf({ label, payload }: CallScope): readonly string[] {
  const paths = [label];
  const rest: (readonly [key: string, value: unknown])[] = Object.entries(payload ?? {}).slice(0, MAX_VALUES);
  for (let seen = 0; rest.length > 0 && seen < MAX_VALUES; seen++) {
    const [key, value] = rest.shift() ?? ['', undefined];
    if (typeof value === 'string' && PATH_KEYS.has(key)) paths.push(value);
    if (typeof value !== 'object' || value === null) continue;
    // The items of a list inherit the key of the list.
    const inside = Object.entries(value).slice(0, MAX_VALUES);
    rest.push(...inside.map(([name, each]) => [Array.isArray(value) ? key : name, each] as const));
  }
  return paths;
}

/** Shows the received scope to authors of servers. */
export function lineOf(scope: CallScope | undefined): string {
  if (scope === undefined) return 'Scope of this call: none.';
  const text = JSON.stringify(scope);
  return `Scope of this call: ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}`;
}
