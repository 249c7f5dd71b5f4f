import type { CancellationToken } from '../base/cancellation.ts';
import type { WorkspaceUse } from '../model/workspaceUse.ts';
import { decidesWhatRuns, INHERITED } from '../policy/startVariables.ts';
import type { FileNames, StdioConnection } from '../ports.ts';
import { OpenFolders } from './openFolders.ts';
import { type PathStyle, posixStyle } from './pathStyle.ts';
import { RealNames } from './realNames.ts';
import { windowsStyle } from './windowsPath.ts';

/** A process that is about to be started, with every variable of the settings expanded. */
export interface PlannedProcess {
  readonly connection: StdioConnection;
  /** The path of the environment file. */
  readonly envFile: string | undefined;
}

export interface ProcessPlace {
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  readonly userHome: string;
  /** The environment that the process inherits. */
  env(name: string): string | undefined;
}

interface Candidate extends Pick<WorkspaceUse, 'what' | 'name' | 'text'> {
  /** Absolute, with `/`; its dots are still in it. */
  readonly path: string;
  readonly isRelative: boolean;
}

/** More words than any command line of a server has. Each costs a question to the file system. */
const MOST_LOOKED_UP = 2_000;
const LONGEST_PATH = 4_096;
const WINDOWS_EXTENSIONS = ['', '.com', '.exe', '.bat', '.cmd', '.ps1'];

/**
 * Decides whether files of the workspace become part of what a process runs: by its working folder, its program, its
 * environment, or an argument that is or lies below an open folder. Paths count as they are written and as they really
 * are. Empty: none do.
 */
export async function workspaceUses(
  planned: PlannedProcess,
  place: ProcessPlace,
  fileNames: FileNames,
  token: CancellationToken,
): Promise<readonly WorkspaceUse[]> {
  if (place.folders.length === 0) return [];
  const style = fileNames.style === 'windows' ? windowsStyle : posixStyle;
  const names = new RealNames(fileNames, style, token);
  const mentions = new Mentions(planned, place, style);
  const candidates = mentions.candidates.slice(0, MOST_LOOKED_UP);
  const folderPaths = OpenFolders.paths(place.folders, style);
  await names.ask([...folderPaths, ...candidates.map(({ path }) => path)]);

  const open = new OpenFolders(place.folders, style, names, fileNames.ignoresCase);
  const isInside = (path: string): boolean => {
    if (open.inside(style.normal(path).normalize('NFC')) !== undefined) return true;
    const real = names.of(path);
    return real.kind === 'real' && open.inside(real.path) !== undefined;
  };
  const exists = (path: string): boolean => {
    const real = names.of(path);
    return real.kind === 'real' && real.exists;
  };
  const runsInside = candidates.some(({ what, path }) => what === 'folder' && isInside(path));
  const uses = candidates.flatMap<WorkspaceUse>(({ what, name, text, path, isRelative }) => {
    const isImplied = runsInside && isRelative && what !== 'folder';
    if (!isInside(path) || ((isImplied || what === 'program') && !exists(path))) return [];
    return [{ what, text, ...(name !== undefined && { name }), ...(isImplied && { isImplied }) }];
  });
  const realFolders = folderPaths.flatMap((path) => {
    const real = names.of(path);
    return real.kind === 'real' ? [real.path] : [];
  });
  const spelled = mentions.spelled([...folderPaths, ...realFolders], fileNames.ignoresCase);
  const left = mentions.candidates.length - candidates.length;
  const unchecked: readonly WorkspaceUse[] = left > 0 ? [{ what: 'unchecked', text: String(left) }] : [];
  return distinct([...uses, ...spelled, ...unchecked]);
}

/** The words of a command line and an environment that may name files. */
class Mentions {
  readonly candidates: readonly Candidate[];
  readonly #texts: readonly Pick<WorkspaceUse, 'what' | 'name' | 'text'>[];
  readonly #place: ProcessPlace;
  readonly #style: PathStyle;
  readonly #base: string;

  constructor({ connection, envFile }: PlannedProcess, place: ProcessPlace, style: PathStyle) {
    this.#place = place;
    this.#style = style;
    const { command, args, env, cwd = place.userHome } = connection;
    const folder = style.slashed(cwd);
    this.#base = style.isAbsolute(folder) ? folder : style.from(style.slashed(place.userHome), folder);
    const variables = [...ownVariables(env), ...inheritedVariables(env, place)];
    this.#texts = [
      ...args.map((text) => ({ what: 'argument', text }) as const),
      ...variables.map(([name, text]) => ({ what: 'variable', name, text }) as const),
    ];
    this.candidates = [
      { what: 'folder', text: cwd, path: this.#base, isRelative: false },
      ...this.#programs(command, variables),
      ...(envFile === undefined ? [] : [this.#at({ what: 'envFile', text: envFile }, envFile)]),
      ...this.#texts.flatMap((mention) =>
        pathTexts(this.#withHome(mention.text), style).map((t) => this.#at(mention, t)),
      ),
    ];
  }

  /** Texts in which an open folder is spelled out anywhere: in a script, or stuck to an option. */
  spelled(folders: readonly string[], ignoresCase: boolean): readonly WorkspaceUse[] {
    const fold = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
    const wanted = folders.filter((path) => path.length > 1).map((path) => fold(path.normalize('NFC')));
    return this.#texts.filter(({ text }) => {
      const folded = fold(this.#style.slashed(this.#withHome(text)).normalize('NFC'));
      return wanted.some((folder) => mentionsFolder(folded, folder));
    });
  }

  #at(mention: Pick<WorkspaceUse, 'what' | 'name' | 'text'>, written: string): Candidate {
    const text = this.#style.slashed(written);
    const path = this.#style.from(this.#base, text);
    return { ...mention, path, isRelative: !this.#style.isAbsolute(text) };
  }

  /** Where a program may be found. Which of several wins is the system's matter: each that exists counts. */
  #programs(command: string, variables: readonly (readonly [string, string])[]): readonly Candidate[] {
    const mention = { what: 'program', text: command } as const;
    const isWindows = this.#style.name === 'windows';
    const written = this.#style.slashed(command);
    if (written.includes('/')) return withExtensions(written, isWindows).map((text) => this.#at(mention, text));
    const path = variables.filter(([name]) => name.toUpperCase() === 'PATH').map(([, value]) => value);
    const entries = path.flatMap((value) => value.split(isWindows ? ';' : ':'));
    return [...(isWindows ? ['.'] : []), ...entries].flatMap((entry) =>
      withExtensions(`${this.#style.slashed(entry === '' ? '.' : entry)}/${written}`, isWindows).map((text) =>
        this.#at(mention, text),
      ),
    );
  }

  /** Shells and runtimes write out the home and the working folder. */
  #withHome(text: string): string {
    const { userHome } = this.#place;
    return text
      .replace(/\$HOME\b|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE\b/gi, () => userHome)
      .replace(/\$PWD\b|\$\{PWD\}|%CD%/gi, () => this.#base)
      .replace(/(^|[\s"'=:,;])~(?=[/\\]|$|[\s"':,;])/g, (_, before: string) => before + userHome);
  }
}

function ownVariables(env: StdioConnection['env']): readonly (readonly [string, string])[] {
  return Object.entries(env).filter(([name]) => decidesWhatRuns(name));
}

/** `PATH` of the settings is added to the one that there is; other variables replace it. */
function inheritedVariables(env: StdioConnection['env'], place: ProcessPlace): readonly (readonly [string, string])[] {
  const own = new Set(Object.keys(env).map((name) => name.toUpperCase()));
  return ['PATH', ...INHERITED.filter((name) => !own.has(name.toUpperCase()))].flatMap((name) => {
    const value = place.env(name);
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
}

function withExtensions(text: string, isWindows: boolean): readonly string[] {
  return isWindows ? WINDOWS_EXTENSIONS.map((extension) => text + extension) : [text];
}

/** What a text may mean as a path: the whole, what stands after `=`, each word, and the path of a `file:` address. */
function pathTexts(text: string, style: PathStyle): readonly string[] {
  const found = new Set<string>();
  const add = (piece: string): void => {
    if (piece === '' || piece.length > LONGEST_PATH || /^-+$/.test(piece)) return;
    found.add(piece);
    // `-I/usr/include`, `-r./hook.js`
    const stuck = /^[-+][-\w]*?((?:[a-z]:|~|\.{1,2})?[/\\].*)$/i.exec(piece)?.[1];
    if (stuck !== undefined) found.add(stuck);
    // `python -m package.module`
    if (/^[\w-]+(?:\.[\w-]+)+$/.test(piece)) {
      const names = piece.split('.');
      names.forEach((_, index) => found.add(names.slice(0, index + 1).join('/')));
    }
  };
  const marks = style.name === 'windows' ? /(?<!(?:^|[^a-z])[a-z]):/i : /:/;
  const addWords = (part: string): void => {
    add(part);
    for (const word of part.split(/[\s"'`=,;|&<>()[\]{}@!?*^]+/))
      for (const piece of [word, ...word.split(marks)]) add(piece);
  };
  add(text);
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', at + 1)) add(text.slice(at + 1));
  for (const [, path = ''] of text.matchAll(/file:(?:\/\/(?:localhost)?(?=\/))?([^\s"'`,;]*)/gi))
    addWords(decodedPath(path));
  addWords(text.replace(/[a-z][a-z\d+.-]+:\/\/[^\s"'`,;]*/gi, ' '));
  return [...found];
}

function decodedPath(path: string): string {
  const plain = path.replace(/[?#].*$/, '');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function mentionsFolder(text: string, folder: string): boolean {
  for (let at = text.indexOf(folder); at >= 0; at = text.indexOf(folder, at + 1)) {
    const isEnd = !/^[\w.-]/.test(text.slice(at + folder.length));
    // Behind another name it is a part of a longer path.
    if (isEnd && !/[\w.~)}\]/\\-]$/.test(text.slice(Math.max(0, at - 1), at))) return true;
  }
  return false;
}

function distinct(uses: readonly WorkspaceUse[]): readonly WorkspaceUse[] {
  const known = new Map<string, WorkspaceUse>();
  for (const use of uses) {
    const key = JSON.stringify([use.what, use.name, use.text]);
    const before = known.get(key);
    // The same word may be implied in one reading and not in another.
    if (before === undefined || (before.isImplied === true && use.isImplied !== true)) known.set(key, use);
  }
  return [...known.values()];
}
