import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Secret } from '../base/secrets.ts';
import type { AuthFlow, AuthSettings, IdentityProvider } from '../model/auth.ts';

/** The part of an entry's reader that member decoders need. */
interface ProblemNotes {
  fail(path: readonly (string | number)[], message: string): void;
  warn(path: readonly (string | number)[], message: string, at?: 'key'): void;
}

const FLOWS: readonly AuthFlow[] = ['auto', 'off', 'clientCredentials', 'enterprise', 'workloadIdentity'];
const TEXTS = [
  'clientId',
  'clientSecret',
  'issuer',
  'clientMetadataUrl',
  'privateKey',
  'algorithm',
  'assertion',
] as const;
const PROVIDER_TEXTS = ['issuer', 'tokenEndpoint', 'clientId', 'clientSecret'] as const;
const KNOWN: readonly string[] = ['flow', ...TEXTS, 'scopes', 'dpop', 'identityProvider'];
const KNOWN_OF_PROVIDER: readonly string[] = [...PROVIDER_TEXTS, 'idToken'];
/** RFC 6749 §3.3. May contain a variable. */
const SCOPE = /^([\x21\x23-\x5b\x5d-\x7e]+|\$\{[^}]*\})+$/;

/** Decodes the member `auth` of a server's entry. `undefined` if it is absent or unusable. */
export function decodeAuth(value: Json | undefined, notes: ProblemNotes): AuthSettings | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) {
    notes.fail(['auth'], 'Must be an object.');
    return undefined;
  }
  warnOfUnknown(value, KNOWN, ['auth'], notes);
  const settings: AuthSettings = {
    flow: oneOf(value['flow'], FLOWS, ['auth', 'flow'], notes) ?? 'auto',
    ...decodeTexts(value, TEXTS, ['auth'], notes),
    ...(value['scopes'] === undefined ? {} : { scopes: decodeScopes(value['scopes'], notes) }),
    ...present('dpop', oneOf(value['dpop'], ['auto', 'always'] as const, ['auth', 'dpop'], notes)),
    ...present('identityProvider', decodeProvider(value['identityProvider'], notes)),
  };
  checkFlow(settings, notes);
  checkAddresses(settings, notes);
  return settings;
}

function decodeProvider(value: Json | undefined, notes: ProblemNotes): IdentityProvider | undefined {
  const path = ['auth', 'identityProvider'];
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) {
    notes.fail(path, 'Must be an object.');
    return undefined;
  }
  warnOfUnknown(value, KNOWN_OF_PROVIDER, path, notes);
  const texts = decodeTexts(value, PROVIDER_TEXTS, path, notes);
  const idToken = text(value['idToken'], [...path, 'idToken'], notes);
  if (value['idToken'] === undefined) notes.fail(path, 'Add "idToken", the identity token of the person.');
  if (value['issuer'] === undefined && value['tokenEndpoint'] === undefined)
    notes.fail(path, 'Add "issuer" or "tokenEndpoint".');
  return idToken === undefined ? undefined : { ...texts, idToken };
}

/** Reports missing requirements of a flow before the server is started. */
function checkFlow(settings: AuthSettings, notes: ProblemNotes): void {
  const { flow, clientId, clientSecret, privateKey, clientMetadataUrl } = settings;
  const need = (isThere: boolean, what: string): void => {
    if (!isThere) notes.fail(['auth'], `The flow "${flow}" needs ${what}.`);
  };
  if (flow === 'clientCredentials') {
    need(clientId !== undefined, '"clientId"');
    need(clientSecret !== undefined || privateKey !== undefined, '"clientSecret" or "privateKey"');
  }
  if (flow === 'enterprise') {
    need(clientId !== undefined || clientMetadataUrl !== undefined, '"clientId" or "clientMetadataUrl"');
    need(settings.identityProvider !== undefined, '"identityProvider"');
  }
  if (flow === 'workloadIdentity') need(settings.assertion !== undefined, '"assertion"');
  const isSecretAlone = clientSecret !== undefined && clientId === undefined;
  if (isSecretAlone) notes.fail(['auth', 'clientSecret'], 'Add "clientId": a secret belongs to a client.');
}

function checkAddresses({ issuer, clientMetadataUrl, identityProvider }: AuthSettings, notes: ProblemNotes): void {
  const check = (address: string | undefined, path: readonly string[], pattern: RegExp, message: string): void => {
    // A value that starts with a variable is checked after expansion.
    if (address !== undefined && !address.startsWith('${') && !pattern.test(address)) notes.fail(path, message);
  };
  const web = /^https?:\/\/[^/\s]/i;
  check(issuer, ['auth', 'issuer'], web, 'Must begin with https://.');
  check(identityProvider?.issuer, ['auth', 'identityProvider', 'issuer'], web, 'Must begin with https://.');
  check(
    identityProvider?.tokenEndpoint,
    ['auth', 'identityProvider', 'tokenEndpoint'],
    web,
    'Must begin with https://.',
  );
  check(
    clientMetadataUrl,
    ['auth', 'clientMetadataUrl'],
    /^https:\/\/[^/\s]+\/[^\s#]+$/i,
    'Must begin with https:// and have a path.',
  );
}

function decodeScopes(value: Json, notes: ProblemNotes): readonly string[] {
  if (!isJsonArray(value)) {
    notes.fail(['auth', 'scopes'], 'Must be a list of texts.');
    return [];
  }
  return value.flatMap((item, index) => {
    if (typeof item === 'string' && SCOPE.test(item)) return [item];
    notes.fail(['auth', 'scopes', index], 'Must be one scope: a text without spaces, quotes and backslashes.');
    return [];
  });
}

function decodeTexts<const K extends string>(
  value: JsonObject,
  keys: readonly K[],
  path: readonly string[],
  notes: ProblemNotes,
): Partial<Record<K, string>> {
  const result: Partial<Record<K, string>> = {};
  for (const key of keys) {
    const found = text(value[key], [...path, key], notes);
    if (found !== undefined) result[key] = found;
  }
  return result;
}

function text(value: Json | undefined, path: readonly string[], notes: ProblemNotes): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.trim() !== '' && !value.includes('\0')) return value;
  notes.fail(path, 'Must be a text that is not empty.');
  return undefined;
}

function oneOf<const T extends string>(
  value: Json | undefined,
  choices: readonly T[],
  path: readonly string[],
  notes: ProblemNotes,
): T | undefined {
  if (value === undefined) return undefined;
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) notes.fail(path, `Must be ${choices.map((candidate) => `"${candidate}"`).join(' or ')}.`);
  return choice;
}

function warnOfUnknown(
  value: JsonObject,
  known: readonly string[],
  path: readonly string[],
  notes: ProblemNotes,
): void {
  for (const key of Object.keys(value))
    if (!known.includes(key)) notes.warn([...path, key], `"${key}" is not known here.`, 'key');
}

function present<const K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  const result: Partial<Record<K, V>> = {};
  if (value !== undefined) result[key] = value;
  return result;
}

/** Settings with all variables expanded, and the secrets in them. */
interface ExpandedAuth {
  readonly settings: AuthSettings;
  readonly secrets: readonly Secret[];
}

/** Expands texts one by one, because parallel input prompts would compete. */
export async function expandAuth(
  settings: AuthSettings,
  expand: (text: string) => Promise<string>,
): Promise<ExpandedAuth> {
  const { identityProvider, scopes } = settings;
  const all = { ...settings, ...(await expandTexts(settings, TEXTS, expand)) };
  const expanded: AuthSettings = {
    ...all,
    ...present('scopes', scopes && (await expandList(scopes, expand))),
    ...present(
      'identityProvider',
      identityProvider && {
        ...identityProvider,
        ...(await expandTexts(identityProvider, PROVIDER_TEXTS, expand)),
        idToken: await expand(identityProvider.idToken),
      },
    ),
  };
  const { clientSecret, privateKey, assertion, identityProvider: provider } = expanded;
  const named = {
    clientSecret,
    privateKey,
    assertion,
    idToken: provider?.idToken,
    'identityProvider.clientSecret': provider?.clientSecret,
  };
  const secrets = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  return { settings: expanded, secrets };
}

async function expandTexts<const K extends string>(
  value: Readonly<Partial<Record<K, string | undefined>>>,
  keys: readonly K[],
  expand: (text: string) => Promise<string>,
): Promise<Partial<Record<K, string>>> {
  const result: Partial<Record<K, string>> = {};
  for (const key of keys) {
    const written = value[key];
    if (written !== undefined) result[key] = await expand(written);
  }
  return result;
}

async function expandList(
  texts: readonly string[],
  expand: (text: string) => Promise<string>,
): Promise<readonly string[]> {
  const result: string[] = [];
  for (const written of texts) result.push(await expand(written));
  return result;
}

/** Maps every text in the settings, for example to expand folders. */
export function mapAuth(settings: AuthSettings, map: (text: string) => string): AuthSettings {
  const texts = <const K extends string>(
    value: Readonly<Partial<Record<K, string | undefined>>>,
    keys: readonly K[],
  ): Partial<Record<K, string>> => {
    const result: Partial<Record<K, string>> = {};
    for (const key of keys) {
      const written = value[key];
      if (written !== undefined) result[key] = map(written);
    }
    return result;
  };
  const { identityProvider, scopes } = settings;
  return {
    ...settings,
    ...texts(settings, TEXTS),
    ...present('scopes', scopes?.map(map)),
    ...present(
      'identityProvider',
      identityProvider && {
        ...identityProvider,
        ...texts(identityProvider, PROVIDER_TEXTS),
        idToken: map(identityProvider.idToken),
      },
    ),
  };
}

/** For the fingerprint: the settings that decide who gets which credentials. Only a digest is stored. */
export function authJson(settings: AuthSettings): JsonObject {
  const { scopes, identityProvider, ...rest } = settings;
  return {
    ...rest,
    scopes: scopes === undefined ? undefined : [...scopes],
    identityProvider: identityProvider === undefined ? undefined : { ...identityProvider },
  };
}
