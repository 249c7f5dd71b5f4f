import { cleanLine } from '../base/cleanText.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { secretMark } from '../base/secrets.ts';
import { namesSecret } from '../base/secretNames.ts';

const MAX_LENGTH = 300;
/** Longer texts and larger objects are shortened first. */
const MAX_TEXT = 2_000;
const MAX_MEMBERS = 20;

/** The arguments of a call on one line, without secrets. */
export function shortArguments(args: JsonObject, redact: (text: string) => string): string | undefined {
  if (Object.keys(args).length === 0) return undefined;
  // Redacted before truncation, because a cut secret would not be found.
  return cleanLine(redact(JSON.stringify(shortened(args, 0))), MAX_LENGTH);
}

function shortened(value: Json | undefined, depth: number): Json {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (isJsonArray(value))
    return depth > 3 ? '…' : value.slice(0, MAX_MEMBERS).map((item) => shortened(item, depth + 1));
  if (!isJsonObject(value)) return value ?? null;
  if (depth > 3) return '…';
  const members = Object.entries(value).slice(0, MAX_MEMBERS);
  return Object.fromEntries(
    members.map(([name, member]) => [name, isSecret(name, member) ? secretMark(name) : shortened(member, depth + 1)]),
  );
}

/** User input to a model is not in the list of secrets, but is stored long and exported. */
function isSecret(name: string, value: Json | undefined): boolean {
  return typeof value !== 'boolean' && value !== null && namesSecret(name);
}
