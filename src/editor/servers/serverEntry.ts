import { type ShellStyle, splitCommandLine } from './shellCommand.ts';
import { DEMO_COMMAND } from '../shared/ids.ts';

/** How the user describes a new server. */
export type EntryKind = 'command' | 'url' | 'npm';

/** The connection part of an entry of `mcpl.servers`. */
export type ServerEntry = { readonly command: string; readonly args?: readonly string[] } | { readonly url: string };

type ReadEntry =
  | { readonly kind: 'entry'; readonly entry: ServerEntry }
  /** A sentence that says what to change. */
  | { readonly kind: 'wrong'; readonly problem: string };

const PACKAGE_NAME = /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*(?:@[\w.^~*-]+)?$/;
const SERVER_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MAX_SUGGESTED = 32;

export function readEntry(kind: EntryKind, text: string, style: ShellStyle): ReadEntry {
  if (text.trim() === '') return wrong(EMPTY[kind]);
  if (kind === 'url') return readUrl(text.trim());
  const split = splitCommandLine(text, style);
  if (split.kind === 'wrong') return split;
  const [first = '', ...rest] = split.words;
  if (kind === 'command') return first === '' ? wrong(EMPTY.command) : entryOf(first, rest);
  if (!PACKAGE_NAME.test(first))
    return wrong('Enter the name of an npm package, such as @modelcontextprotocol/server-memory.');
  return entryOf('npx', ['-y', first, ...rest]);
}

const EMPTY = {
  command: 'Enter the command that starts the server.',
  url: 'Enter the address of the server.',
  npm: 'Enter the name of the npm package.',
} as const;

function wrong(problem: string): ReadEntry {
  return { kind: 'wrong', problem };
}

function entryOf(command: string, args: readonly string[]): ReadEntry {
  return { kind: 'entry', entry: args.length === 0 ? { command } : { command, args } };
}

function readUrl(text: string): ReadEntry {
  // An address with variables is checked after expansion.
  if (text.startsWith('${')) return { kind: 'entry', entry: { url: text } };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(?:http|ws)s?:$/.test(url.protocol) || url.hostname === '')
    return wrong('Enter an address that starts with https://, http://, wss:// or ws://.');
  if (url.username !== '' || url.password !== '')
    return wrong('Leave the user name and password out: put them into "headers" in the settings, with ${input:…}.');
  return { kind: 'entry', entry: { url: text } };
}

/** Why a server id is invalid. */
export function idProblem(id: string, taken: ReadonlySet<string>): string | undefined {
  if (!SERVER_ID.test(id))
    return 'Use 1 to 64 letters, digits, dots, hyphens or underscores, starting with a letter or digit.';
  return taken.has(id) ? `There is a server "${id}" already. Choose another name.` : undefined;
}

/** A short unique name derived from the command or address. */
export function suggestId(entry: ServerEntry, taken: ReadonlySet<string>): string {
  const name = 'url' in entry ? nameOfUrl(entry.url) : nameOfCommand([entry.command, ...(entry.args ?? [])]);
  return uniqueId(name, taken);
}

export function uniqueId(name: string, taken: ReadonlySet<string>): string {
  const clean = name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  const base = clean.slice(0, MAX_SUGGESTED) || 'server';
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(id)) return id;
  }
}

function nameOfUrl(text: string): string {
  const host = URL.canParse(text) ? new URL(text).hostname : '';
  if (/^[\d.]+$|^\[|^localhost$/.test(host)) return 'local';
  const [label = ''] = host.replace(/^(?:www|api|mcp)\./, '').split('.');
  return label;
}

/** Launchers, which are not the server itself. */
const LAUNCHERS: ReadonlySet<string> = new Set(
  'node npx npm pnpm yarn bun bunx deno tsx uv uvx python python3 py pipx docker podman run exec dlx x'.split(' '),
);
/** Common file names. Then the folder's name is used. */
const NAMELESS = /^(?:index|main|server|cli|start|app|dist|build|src|bin|lib|out)$/i;

function nameOfCommand(words: readonly string[]): string {
  if (words[0] === DEMO_COMMAND) return 'demo';
  const telling = words.map(bare).filter((word) => word !== '');
  const own = telling.filter((word) => !LAUNCHERS.has(word));
  return own.find((word) => !NAMELESS.test(word)) ?? own[0] ?? telling[0] ?? '';
}

/** The significant part of a word: `@scope/server-files@1.2` gives files, `/x/notes/dist/index.js` gives notes. */
function bare(word: string): string {
  if (word.startsWith('-')) return '';
  const parts = word
    .replace(/(?<=.)@[^/@]*$/, '')
    .split(/[/\\]/)
    .map((part) => part.replace(/\.(?:[cm]?[jt]s|py|exe|cmd|sh)$/i, ''))
    .filter((part) => part !== '' && !part.startsWith('.') && !part.startsWith('${'));
  const part = parts.findLast((candidate) => !NAMELESS.test(candidate)) ?? parts.at(-1) ?? '';
  return part.replace(/^(?:mcp-server|server-mcp|mcp|server)[-_]|[-_](?:mcp-server|server-mcp|mcp|server)$/gi, '');
}
