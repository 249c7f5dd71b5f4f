import { quoted } from '../base/quotedText.ts';
import { plural } from '../base/plural.ts';
import type { AuthSettings } from '../model/auth.ts';
import type { LineageSummary } from '../model/lineage.ts';
import type { ConnectionDefinition, ServerDefinition } from '../model/server.ts';
import type { WorkspaceUse } from '../model/workspaceUse.ts';
import { decidesWhatRuns } from './startVariables.ts';
import type { McplGrant } from '../model/mcplGrant.ts';
import { grantsIn } from './mcplGrants.ts';
import { UNREADABLE_ADAPTER } from '../model/scope.ts';

export interface StartFacts {
  readonly definition: ServerDefinition;
  /** The connection with folders expanded, and inputs and environment variables as written. */
  readonly shown: ConnectionDefinition;
  /** Variables from the environment file. */
  readonly fileVariables: Readonly<Record<string, string>>;
  readonly uses: readonly WorkspaceUse[];
  /** Stored states of all servers. */
  readonly lineages: readonly LineageSummary[];
}

/**
 * What a prompt must state beyond the command line: one sentence per right, most dangerous first. Settings text is in
 * quotes that it cannot close.
 */
export function startRemarks({ definition, shown, fileVariables, uses, lineages }: StartFacts): readonly string[] {
  const { definedBy, contributor, workspaceAutoApprove, lentByUser } = definition;
  const contributes = definedBy === 'workspace' && contributor !== undefined;
  return [
    ...remarksOnCode(shown, fileVariables),
    ...remarksOnUses(uses),
    ...sentence('Models may call without asking', workspaceAutoApprove),
    ...remarksOnMcpl(definition),
    ...(shown.kind === 'remote' && shown.auth !== undefined ? remarksOnSignIn(shown.auth) : []),
    ...sentence('Your own settings give it', lentByUser),
    ...remarksOnValues(definition.connection),
    ...remarksOnNames(shown, fileVariables),
    ...(contributes
      ? [`The extension ${quoted(contributor.name)} (${quoted(contributor.id)}) contributes a part of it.`]
      : []),
    ...stateRemarks(lineages, definition.id),
  ];
}

/** Variables whose values are code or locate code. */
function remarksOnCode(shown: ConnectionDefinition, fileVariables: StartFacts['fileVariables']): readonly string[] {
  if (shown.kind !== 'stdio') return [];
  const codeIn = (variables: Readonly<Record<string, string>>): readonly (readonly [string, string])[] =>
    Object.entries(variables)
      .filter(([name]) => decidesWhatRuns(name))
      .sort(byName);
  return [
    ...codeIn(shown.env).map(
      ([name, value]) => `It sets ${quoted(name)}, which can run other code, to ${valueText(name, value)}.`,
    ),
    // Settings override the file.
    ...codeIn(fileVariables)
      .filter(([name]) => !Object.hasOwn(shown.env, name))
      .map(
        ([name, value]) =>
          `Its environment file sets ${quoted(name)}, which can run other code, to ${valueText(name, value)}.`,
      ),
  ];
}

/** Variables with addresses. In a list of files, an address could hide one of them. */
const ADDRESS = /(?:URLS?|URI|INDEX|REGISTRY|PROXY|MIRROR|HOST)$/i;

function valueText(name: string, value: string): string {
  if (!ADDRESS.test(name)) return quoted(value);
  return quoted(value.replace(/(:\/\/[^\s/:@]*:)[^\s/:@]+(?=@)/g, '$1[secret]'));
}

function remarksOnUses(uses: readonly WorkspaceUse[]): readonly string[] {
  const texts = (what: WorkspaceUse['what']): readonly string[] =>
    uses.flatMap((use) => (use.what === what ? [use.text] : []));
  const variables = uses.filter(({ what }) => what === 'variable');
  return [
    ...texts('folder').map(
      (text) => `It runs in ${quoted(text)}, where files of this workspace can become part of it.`,
    ),
    ...texts('program').map((text) => `Its program ${quoted(text)} is a file of this workspace.`),
    ...texts('envFile').map((text) => `Its environment file ${quoted(text)} is a file of this workspace.`),
    ...variables.map(
      ({ name = '', text }) => `Its variable ${quoted(name)} leads into this workspace: ${quoted(text)}.`,
    ),
    ...sentence('These arguments lead into this workspace', texts('argument'), (items) => items),
    ...texts('module').map((text) => `Python takes the file ${quoted(text)} of this workspace for a module.`),
    ...texts('unchecked').map((text) => `It has ${text} more words that may lead into this workspace.`),
  ];
}

/** The sign-in flow, and where its credentials go. */
function remarksOnSignIn({ flow, issuer, identityProvider }: AuthSettings): readonly string[] {
  const addresses = [issuer, identityProvider?.tokenEndpoint ?? identityProvider?.issuer];
  return [
    ...(flow === 'auto' || flow === 'off' ? [] : [`It signs in without asking, by the flow ${quoted(flow)}.`]),
    ...sentence(
      'Its credentials are sent to',
      addresses.filter((address) => address !== undefined),
      (items) => items,
    ),
  ];
}

/** Values that the server gets but the prompt does not show. */
function remarksOnValues(connection: ConnectionDefinition): readonly string[] {
  return [
    ...sentence('It is given your answers to the inputs', variableNames(connection, 'input')),
    // A process gets the whole environment anyway.
    ...sentence(
      'It is given your environment variables',
      connection.kind === 'remote' ? variableNames(connection, 'env') : [],
    ),
  ];
}

function remarksOnNames(shown: ConnectionDefinition, fileVariables: StartFacts['fileVariables']): readonly string[] {
  if (shown.kind === 'remote') return sentence('It sends the headers', Object.keys(shown.headers));
  const harmless = (variables: object): readonly string[] =>
    Object.keys(variables).filter((name) => !decidesWhatRuns(name));
  if (shown.envFile === undefined) return sentence('It sets environment variables', harmless(shown.env));
  return [
    ...sentence('It sets environment variables', harmless(shown.env)),
    ...(Object.keys(fileVariables).length === 0
      ? [`It reads environment variables from ${quoted(shown.envFile)}.`]
      : sentence(`It reads from ${quoted(shown.envFile)} the environment variables`, Object.keys(fileVariables))),
  ];
}

function sentence(
  words: string,
  items: readonly string[],
  order: (items: readonly string[]) => readonly string[] = (all) => [...all].sort(),
): readonly string[] {
  const shown = order([...new Set(items)]).map(quoted);
  return shown.length === 0 ? [] : [`${words}: ${shown.join(', ')}.`];
}

function variableNames(connection: ConnectionDefinition, kind: 'input' | 'env'): readonly string[] {
  const texts =
    connection.kind === 'stdio'
      ? [connection.command, ...connection.args, ...Object.values(connection.env), connection.cwd ?? '']
      : [connection.url, ...Object.values(connection.headers), JSON.stringify(connection.auth ?? {})];
  const pattern = new RegExp(`\\$\\{${kind}:([^}]*)\\}`, 'g');
  return texts.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** MCPL rights from workspace settings, in plain sentences. */
function remarksOnMcpl({ workspaceGrants }: ServerDefinition): readonly string[] {
  const grants = grantsIn(workspaceGrants);
  const remarks: string[] = [];
  const say = <const K extends McplGrant['kind']>(
    kind: K,
    show: (grant: Extract<McplGrant, { kind: K }>) => string,
    wording: (shown: string) => string,
  ): void => {
    const shown = new Set(grants.flatMap((grant) => (isOf(grant, kind) ? [show(grant)] : [])));
    if (shown.size > 0) remarks.push(wording([...shown].join(', ')));
  };
  say(
    'withoutMcpl',
    () => '',
    () => 'It is used without MCPL: feature sets do not switch its tools off, and only "scopes" makes them ask.',
  );
  say(
    'featureSets',
    ({ region }) => quoted(region.pattern),
    (names) => `Its feature sets are on, which may let it read your chats and add to them: ${names}.`,
  );
  say(
    'readUserMessage',
    () => '',
    () => 'It may read what you write in chats.',
  );
  say(
    'position',
    ({ position }) => quoted(position),
    (positions) => `It may add context for models, at the positions: ${positions}.`,
  );
  say(
    'infer',
    ({ pattern }) => quoted(pattern),
    (names) => `Its events go to a model without asking, for the feature sets: ${names}.`,
  );
  say(
    'tool',
    ({ tool, featureSet }) => `${quoted(tool)} (${quoted(featureSet)})`,
    (tools) => `These tools are on with the feature sets in brackets: ${tools}.`,
  );
  say(
    'model',
    ({ model }) => quoted(model),
    (model) => `It uses the model: ${model}.`,
  );
  say(
    'requestsPerHour',
    ({ most }) => String(most),
    (most) => `It may ask a model up to ${most} times an hour.`,
  );
  say(
    'tokensPerDay',
    ({ most }) => String(most),
    (most) => `It may use up to ${most} tokens of models a day.`,
  );
  return [...remarksOnScopes(grants), ...remarks];
}

function isOf<const K extends McplGrant['kind']>(grant: McplGrant, kind: K): grant is Extract<McplGrant, { kind: K }> {
  return grant.kind === kind;
}

/** Scopes allowed by workspace settings, in plain sentences, widest first. */
function remarksOnScopes(grants: readonly McplGrant[]): readonly string[] {
  const patterns = [...new Set(grants.flatMap((grant) => (grant.kind === 'whitelist' ? grant.patterns : [])))];
  const adapters = grants.filter((grant) => grant.kind === 'adapter');
  const within = (reach: Reach): readonly string[] => patterns.filter((pattern) => reachOf(pattern) === reach);
  const unreadable = adapters.filter(({ paths }) => paths.some((path) => UNREADABLE_ADAPTER.includes(path)));
  const free = adapters.filter(({ paths }) => paths.length === 0);
  const named = adapters.filter((adapter) => !unreadable.includes(adapter) && !free.includes(adapter));
  const tools = (some: typeof adapters): readonly string[] => some.map(({ tool }) => tool);
  return [
    ...scopeSentence('Without asking, it may touch outside the workspace', within('outside')),
    ...scopeSentence('Without asking, it may touch in the workspace', within('inside')),
    ...scopeSentence('Without asking, it may use the names', within('name')),
    ...scopeSentence('Calls of these tools never need an approval', tools(free)),
    ...scopeSentence(
      'Targets of these tools are read only from the arguments in brackets',
      named.map(({ tool, paths }) => `${quoted(tool)} (${paths.map(quoted).join(', ')})`),
      (text) => text,
    ),
    ...scopeSentence('Targets of these tools are unknown, so no list allows their calls', tools(unreadable)),
  ];
}

/** Shortest first, because short patterns are the widest: many long ones must not hide `/**`. */
function scopeSentence(words: string, items: readonly string[], show = quoted): readonly string[] {
  if (items.length === 0) return [];
  const sorted = [...items].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return [`${words}: ${sorted.map(show).join(', ')}.`];
}

type Reach = 'inside' | 'outside' | 'name';

/** Where matches of a pattern may be. Only patterns that certainly stay in the open folders are inside. */
function reachOf(pattern: string): Reach {
  if (/\.\.|\\/.test(pattern)) return 'outside';
  // The next character must not continue the folder's name.
  if (/^\$\{workspaceFolder(:[^}]*)?\}(\/|$)/.test(pattern)) return 'inside';
  if (/^(file|vscode-remote):/i.test(pattern)) return 'outside';
  if (/^([#@]|[a-z][a-z\d+.-]+:)/i.test(pattern)) return 'name';
  return /^(?!\s)[^/~*?[\]{}()!$:]+(\/|$)/.test(pattern) ? 'inside' : 'outside';
}

/** The states that a changed server gets, because states are stored under its name. A sentence for the start prompt. */
export function stateRemarks(lineages: readonly LineageSummary[], server: string): readonly string[] {
  const own = lineages.filter((lineage) => lineage.server === server && lineage.count > 0);
  if (own.length === 0) return [];
  const named = own.map(({ featureSet, count }) => {
    const what = plural(count, 'checkpoint');
    return featureSet === '' ? `${what} of no feature set` : `${what} of ${quoted(featureSet)}`;
  });
  return [`It continues with the state that was kept for ${quoted(server)}: ${named.join(', ')}.`];
}
