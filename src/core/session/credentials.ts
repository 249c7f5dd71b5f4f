import { base64, unbase64 } from '../base/base64.ts';
import { parseJson } from '../base/json.ts';
import { isHideable, type Secret } from '../base/secrets.ts';

/** Words that mark a name as a credential, as whole words or at the end (`PGPASSWORD`). */
const CREDENTIAL_WORD =
  /(?:passw(?:or)?d|passwort|passphrase|passcode|passwd|(?<!by|com|sur|tres|ask|by_)pass|pwd|secrets?|tokens?|credentials?|creds?|(?<!mon|don|tur|hot|public|pub)keys?|auth|oauth|pats?|cookies?|jwt|bearer|dsn|pw|kennwort|contrasena|motdepasse|senha|authorization|apikey|pgpass\w*|salt|signature|webhook)$/;
/** Name endings whose values only describe a credential. */
const ABOUT_CREDENTIAL =
  /^(?:files?|paths?|dirs?|directory|names?|ids?|types?|methods?|modes?|algorithms?|alg|enabled|disabled|hosts?|ports?|endpoints?|regions?|issuer|audience|scopes?|users?|usernames?|expiry|expires|expiration|ttl|timeout|limits?|max|min|count|length|size|budget|providers?|sock|socket|version|prefix|header|required|cmd|command|policy|samesite|consent|symbol|bindings?|events?|stor(?:e|age)|strategy|backend|format)$/;
/** Words before `key` for keys that are no credentials. */
const FINDING_KEY = /^(?:sort|primary|foreign|partition|object|row|range|group|index|lookup|order)$/;
/** `MAX_TOKENS` is a number, not a token. */
const NUMBER = /^[\d.,_]+$/;
const NAMES_PASSWORD = /pass|pwd|secret/i;

/** Known prefixes of credentials, PEM keys, JSON web tokens and authorization headers. */
const CREDENTIAL_SHAPES: readonly RegExp[] = [
  /^(?:gh[opsur]|github_pat|glpat|gldt|npm|pypi|hf|dop_v1|doo_v1|shp(?:at|ca|pa|ss)|lin_(?:api|oauth)|ntn|xapp|atlasv1|figd|phc|rk_(?:live|test)|[sp]k_(?:live|test)|whsec|dckr_(?:pat|oat)|sntry[su]|secret)[_-][\w.+/=-]{8,}$/,
  /^(?:sk-|xox[abeoprs]-|AKIA|ASIA|AIza|ya29\.|SG\.|EAAC|ATATT|glsa_|sq0[a-z]{3}-|tvly-|pplx-|gsk_|r8_|key-)[\w.+/=-]{12,}$/,
  /^ey[\w-]{8,}\.[\w-]{8,}\.[\w-]*$/,
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/,
  /^(?:bearer|basic|token)\s+\S{8,}$/i,
];

/** Credentials in an environment variable: the value itself, or a password inside it. */
export function variableSecrets(name: string, value: string): readonly Secret[] {
  const inside = embeddedSecrets(name, value);
  if (hasCredentialShape(value)) return [...secretOf(name, value), ...inside];
  if (!namesCredential(name) || (NUMBER.test(value) && !NAMES_PASSWORD.test(name))) return inside;
  return [...(isAddress(value) ? pathSecrets(name, value, TOKEN_IN_PATH) : secretOf(name, value)), ...inside];
}

/** Headers that never carry credentials. Any other header may. */
const HARMLESS_HEADER =
  /^(?:accept(?:-.+)?|content-.+|user-agent|host|origin|referer|cache-control|connection|date|from|via|mcp-.+|x-request-id|x-correlation-id|x-forwarded-.+|traceparent|tracestate)$/i;
const SCHEME_AND_CREDENTIALS = /^([A-Za-z][\w-]*)\s+(\S+)$/;

/** Credentials in a header: the value, and the part after its scheme. */
export function headerSecrets(name: string, value: string): readonly Secret[] {
  if (HARMLESS_HEADER.test(name)) return variableSecrets(name, value);
  const [, scheme = '', credentials] = SCHEME_AND_CREDENTIALS.exec(value.trim()) ?? [];
  const pairs = /cookie/i.test(name) ? value.split(/;\s*/).map((pair) => pair.slice(pair.indexOf('=') + 1)) : [];
  return [
    ...secretOf(name, value),
    ...(credentials === undefined ? [] : secretOf(name, credentials)),
    ...(credentials === undefined || scheme.toLowerCase() !== 'basic' ? [] : basicSecrets(name, credentials)),
    ...pairs.flatMap((pair) => secretOf(name, pair)),
    ...embeddedSecrets(name, value),
  ];
}

/** Credentials in a server's address. */
export function addressSecrets(url: string): readonly Secret[] {
  return [...embeddedSecrets('url', url), ...pathSecrets('url', url, KEY_IN_PATH)];
}

/** A path segment of a web hook that acts as a credential. */
const TOKEN_IN_PATH = /^(?=.*\d)(?=.*[a-z])[\w-]{16,}$/i;
/** A path segment that looks generated. */
const KEY_IN_PATH =
  /^(?:(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w-]{24,}|[\da-f]{32,}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

function pathSecrets(name: string, url: string, shape: RegExp): readonly Secret[] {
  const [path = ''] = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/);
  const parts = path.split('/').filter((part) => shape.test(part) || hasCredentialShape(part));
  return parts.flatMap((part) => bothForms(name, part));
}

const OPTION = /^-{1,2}([\w.-]+)(?:=([\s\S]*))?$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=([\s\S]*)$/;

const HEADER = /^\s*([A-Za-z][\w-]*):\s*(\S[\s\S]*)$/;

/**
 * Credentials on a command line: `--token x`, `--token=x`, `TOKEN=x`, `--header "X-Key: x"`, and values with a known
 * shape.
 */
export function argumentSecrets(args: readonly string[]): readonly Secret[] {
  return args.flatMap((arg, index): readonly Secret[] => {
    const header = headerArgument(arg, args[index - 1]);
    if (header !== undefined) return headerSecrets(header.name, header.content);
    const [, option, given] = OPTION.exec(arg) ?? [];
    if (option !== undefined) {
      const next = args[index + 1];
      const value = given ?? (next === undefined || next.startsWith('-') ? undefined : next);
      return value === undefined ? [] : variableSecrets(option, value);
    }
    const [, name, value] = ASSIGNMENT.exec(arg) ?? [];
    return name === undefined || value === undefined
      ? variableSecrets(`argument-${index + 1}`, arg)
      : variableSecrets(name, value);
  });
}

/** An argument that is a header: after a header option, or with a credential's name. */
function headerArgument(
  arg: string,
  before: string = '',
): { readonly name: string; readonly content: string } | undefined {
  const [, name = '', content = ''] = HEADER.exec(arg.replace(/^(?:-H|--headers?=)/, '')) ?? [];
  const isHeader = name !== '' && (/^(?:-H|--?headers?)$/i.test(before) || namesCredential(name));
  return isHeader ? { name, content } : undefined;
}

/** Whether a variable, option or query parameter is named like a credential. */
function namesCredential(name: string): boolean {
  const words = inWords(name);
  const last = words.at(-1) ?? '';
  if (ABOUT_CREDENTIAL.test(last)) return false;
  return words.some((word, at) => {
    if (/^keys?$/.test(word) && FINDING_KEY.test(words[at - 1] ?? '')) return false;
    // `TOKEN2` is a second token.
    return CREDENTIAL_WORD.test(word.replace(/(?<=[a-z])\d+$/, ''));
  });
}

function inWords(name: string): readonly string[] {
  const spaced = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return spaced.toLowerCase().match(/[a-z\d]+/g) ?? [];
}

function hasCredentialShape(value: string): boolean {
  return CREDENTIAL_SHAPES.some((shape) => shape.test(value.trim()));
}

function isAddress(value: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(value);
}

const USER_INFO = /\b[a-z][a-z\d+.-]*:\/\/([^\s/?#]*)@([^\s/?#]*)/gi;
const MEMBER = /[?&#;]([\w.-]+)=([^&#;\s]+)/g;
/** `Password=x;`, `AccountKey=x` and `password=x` in connection strings. */
const SETTING = /(?:^|[;\s])([A-Za-z][\w ]{1,40}?)\s*=\s*("[^"]*"|'[^']*'|[^;\s]+)/g;
/** `"Authorization": "Bearer x"` in a JSON value, such as an API's headers. */
const JSON_MEMBER = /"([\w.-]{1,64})"\s*:\s*("(?:[^"\\]|\\.)*")/g;
/** A token in place of a user name. Real user names are shorter. */
const SHORTEST_USER_TOKEN = 20;
const SHORTEST_PASSWORD = 3;

/** Credentials within a value: in an address, a query, a connection string, or JSON. */
function embeddedSecrets(name: string, value: string): readonly Secret[] {
  const found: Secret[] = [];
  for (const [, info = '', host = ''] of value.matchAll(USER_INFO)) found.push(...userInfoSecrets(name, info, host));
  for (const [, member = '', given = ''] of value.matchAll(MEMBER))
    if (isMemberSecret(member, given)) found.push(...bothForms(name, given));
  found.push(...jsonSecrets(name, value));
  if (!isAddress(value))
    for (const [, key = '', given = ''] of value.matchAll(SETTING))
      if (namesCredential(key)) found.push(...secretOf(name, given.replace(/^(["'])([\s\S]*)\1$/, '$2')));
  return found;
}

function jsonSecrets(name: string, value: string): readonly Secret[] {
  return [...value.matchAll(JSON_MEMBER)].flatMap(([, member = '', given = '']) => memberSecrets(name, member, given));
}

function memberSecrets(name: string, member: string, written: string): readonly Secret[] {
  const value = textOf(written);
  if (value === undefined || (!namesCredential(member) && !hasCredentialShape(value))) return [];
  const [, , credentials] = SCHEME_AND_CREDENTIALS.exec(value.trim()) ?? [];
  return [...secretOf(name, value), ...(credentials === undefined ? [] : secretOf(name, credentials))];
}

/** Returns `undefined` if it only looks like JSON. */
function textOf(written: string): string | undefined {
  try {
    const value = parseJson(written);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMemberSecret(member: string, given: string): boolean {
  return (
    (namesCredential(member) || /^(?:sig|code)$/i.test(member) || hasCredentialShape(given)) && !NUMBER.test(given)
  );
}

function userInfoSecrets(name: string, info: string, host: string): readonly Secret[] {
  const colon = info.indexOf(':');
  const user = colon < 0 ? info : info.slice(0, colon);
  const password = colon < 0 ? '' : info.slice(colon + 1);
  const isToken = hasCredentialShape(user) || (password === '' && user.length >= SHORTEST_USER_TOKEN);
  const asToken = isToken ? bothForms(name, user) : [];
  if (password.length < SHORTEST_PASSWORD) return asToken;
  const pairs = [`${user}:${password}`, `${decoded(user)}:${decoded(password)}`];
  const alone = bothForms(name, password);
  // A short password is only hidden together with its user and host.
  const beside = alone.length > 0 ? [] : [...pairs.map((pair) => `${pair}@${host}`), ...pairs];
  const inHeader = pairs.map((pair) => base64(pair));
  return [...asToken, ...alone, ...[...beside, ...inHeader].flatMap((value) => secretOf(name, value))];
}

/** With and without percent-encoding. */
function bothForms(name: string, value: string): readonly Secret[] {
  const plain = decoded(value);
  return [...secretOf(name, value), ...(plain === value ? [] : secretOf(name, plain))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function basicSecrets(name: string, credentials: string): readonly Secret[] {
  const pair = unbase64(credentials);
  const password = pair.slice(pair.indexOf(':') + 1);
  return [...secretOf(name, pair), ...secretOf(name, password)];
}

function secretOf(name: string, value: string): readonly Secret[] {
  return isHideable(value) ? [{ name, value }] : [];
}
