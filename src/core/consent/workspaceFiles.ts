import type { CancellationToken } from '../base/cancellation.ts';
import type { WorkspaceUse } from '../model/workspaceUse.ts';
import { decidesWhatRuns, INHERITED } from './startVariables.ts';
import type { FileNames, StdioConnection } from '../ports.ts';
import { OpenFolders, RealNames } from '../scopes/paths/realNames.ts';
import { type PathStyle, posixStyle, windowsStyle } from '../scopes/paths/pathStyle.ts';

/** A process about to start, with all variables expanded. */
interface PlannedProcess {
  readonly connection: StdioConnection;
  /** Path of the environment file. */
  readonly envFile: string | undefined;
}

export interface ProcessLocation {
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  readonly userHome: string;
  /** The inherited environment. */
  env(name: string): string | undefined;
}

interface Candidate extends Pick<WorkspaceUse, 'what' | 'name' | 'text'> {
  /** Absolute, with `/`, and with its dots. */
  readonly path: string;
  readonly isRelative: boolean;
  /** A variable that settings do not set. */
  readonly isInherited?: boolean | undefined;
}

type Mention = Pick<Candidate, 'what' | 'name' | 'text' | 'isInherited'>;

/** More words than a real command line has. Each costs a file system lookup. */
const MAX_LOOKED_UP = 2_000;
const MAX_PATH = 4_096;
const MAX_EXPANDED = 100_000;
const WINDOWS_EXTENSIONS = ['', '.com', '.exe', '.bat', '.cmd', '.ps1'];

/**
 * Whether workspace files become part of what a process runs: through its working folder, program, environment, or an
 * argument inside an open folder. Checks paths as written and as resolved. Empty if there are none.
 */
export async function workspaceUses(
  planned: PlannedProcess,
  location: ProcessLocation,
  fileNames: FileNames,
  token: CancellationToken,
): Promise<readonly WorkspaceUse[]> {
  if (location.folders.length === 0) return [];
  const style = fileNames.style === 'windows' ? windowsStyle : posixStyle;
  const names = new RealNames(fileNames, style, token);
  const mentions = new Mentions(planned, location, style);
  const folderPaths = OpenFolders.paths(location.folders, style);
  await names.ask(folderPaths);
  const open = new OpenFolders(location.folders, style, names, fileNames.ignoresCase);
  const realFolders = folderPaths.flatMap((path) => {
    const real = names.of(path);
    return real.kind === 'real' ? [real.path] : [];
  });
  const spellings = [...folderPaths, ...realFolders].map((path) => style.normal(path).normalize('NFC'));

  const candidates: Candidate[] = [];
  const bases = new Set([mentions.base]);
  const parents = new Set<string>();
  let left = 0;
  // A relative word may be relative to any folder on the command line (`cd ~/src && node ws/x`).
  for (let next = mentions.candidates; next.length > 0;) {
    const looked = next.slice(0, MAX_LOOKED_UP - candidates.length);
    left += next.length - looked.length;
    await names.ask(looked.map(({ path }) => path));
    candidates.push(...looked);
    const above = looked.flatMap(({ path, isInherited }) => {
      if (isInherited === true) return [];
      const real = names.of(path);
      const at = [style.normal(path).normalize('NFC'), ...(real.kind === 'real' ? [real.path] : [])];
      return at.some((folder) => holds(folder, spellings, fileNames.ignoresCase)) ? at : [];
    });
    for (const folder of above) parents.add(folder);
    next = above
      .filter((folder) => !bases.has(folder) && bases.add(folder))
      .flatMap((folder) => mentions.relativeTo(folder));
  }
  const packages = mentions.importsFromBase ? packagesIn(parents, spellings) : [];
  await names.ask(packages);
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
  const spelled = mentions.spelled(spellings, fileNames.ignoresCase);
  const imported = packages.filter(exists).map<WorkspaceUse>((text) => ({ what: 'module', text }));
  const unchecked: readonly WorkspaceUse[] = left > 0 ? [{ what: 'unchecked', text: String(left) }] : [];
  return distinct([...uses, ...spelled, ...imported, ...unchecked]);
}

/** Words of a command line and environment that may name files. */
class Mentions {
  readonly candidates: readonly Candidate[];
  /** The working folder. */
  readonly base: string;
  /** Python imports modules from the working folder first. */
  readonly importsFromBase: boolean;
  readonly #texts: readonly { readonly mention: Mention; readonly expanded: string }[];
  readonly #location: ProcessLocation;
  readonly #style: PathStyle;
  readonly #env: StdioConnection['env'];

  constructor({ connection, envFile }: PlannedProcess, location: ProcessLocation, style: PathStyle) {
    this.#location = location;
    this.#style = style;
    const { command, args, env, cwd = location.userHome } = connection;
    this.#env = env;
    const folder = style.slashed(cwd);
    this.base = style.isAbsolute(folder) ? folder : style.from(style.slashed(location.userHome), folder);
    const own = ownVariables(env).map(([name, text]) => ({ what: 'variable', name, text }) as const);
    const inherited = inheritedVariables(env, location).map(
      ([name, text]) => ({ what: 'variable', name, text, isInherited: true }) as const,
    );
    const mentions: readonly Mention[] = [
      ...args.map((text) => ({ what: 'argument', text }) as const),
      ...own,
      ...inherited,
    ];
    this.#texts = mentions.map((mention) => ({ mention, expanded: this.#expanded(mention.text) }));
    this.importsFromBase = importsFromWorkingFolder([command, ...args]);
    this.candidates = [
      { what: 'folder', text: cwd, path: this.base, isRelative: false },
      ...this.#programs(command, [...own, ...inherited]),
      ...(envFile === undefined ? [] : [this.#at({ what: 'envFile', text: envFile }, envFile)]),
      ...this.#texts.flatMap(({ mention, expanded }) =>
        pathTexts(expanded, style).map((text) => this.#at(mention, text)),
      ),
    ];
  }

  /** The relative words of settings, relative to another folder. */
  relativeTo(folder: string): readonly Candidate[] {
    return this.#texts.flatMap(({ mention, expanded }) =>
      mention.isInherited === true
        ? []
        : pathTexts(expanded, this.#style)
            .map((text) => this.#at(mention, text, folder))
            .filter(({ isRelative }) => isRelative),
    );
  }

  /** Texts that contain the path of an open folder anywhere: in a script, or attached to an option. */
  spelled(folders: readonly string[], ignoresCase: boolean): readonly WorkspaceUse[] {
    const fold = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
    const wanted = folders.filter((path) => path.length > 1).map((path) => fold(path.normalize('NFC')));
    return this.#texts.flatMap(({ mention: { what, name, text }, expanded }) => {
      const isSpelled = [expanded, withoutQuoting(expanded, this.#style)].some((reading) => {
        const folded = fold(this.#style.slashed(reading).normalize('NFC'));
        return wanted.some((folder) => mentionsFolder(folded, folder));
      });
      return isSpelled ? [{ what, text, ...(name !== undefined && { name }) }] : [];
    });
  }

  #at(mention: Mention, written: string, base: string = this.base): Candidate {
    const text = this.#style.slashed(written);
    const path = this.#style.from(base, text);
    return { ...mention, path, isRelative: !this.#style.isAbsolute(text) };
  }

  /** Possible locations of a program. Each existing one counts, whichever the system selects. */
  #programs(
    command: string,
    variables: readonly { readonly name: string; readonly text: string }[],
  ): readonly Candidate[] {
    const mention = { what: 'program', text: command } as const;
    const isWindows = this.#style.name === 'windows';
    const written = this.#style.slashed(command);
    if (written.includes('/')) return withExtensions(written, isWindows).map((text) => this.#at(mention, text));
    const path = variables.filter(({ name }) => name.toUpperCase() === 'PATH');
    const entries = path.flatMap(({ text }) => text.split(isWindows ? ';' : ':'));
    return [...(isWindows ? ['.'] : []), ...entries].flatMap((entry) =>
      withExtensions(`${this.#style.slashed(entry === '' ? '.' : entry)}/${written}`, isWindows).map((text) =>
        this.#at(mention, text),
      ),
    );
  }

  /** Expands variables like shells and runtimes, and `~`. */
  #expanded(text: string): string {
    const { userHome } = this.#location;
    const home = userHome.replace(/[/\\]+$/, '');
    const value = (name: string): string | undefined => {
      if (/^(?:HOME|USERPROFILE)$/i.test(name)) return userHome;
      if (/^(?:PWD|CD)$/i.test(name)) return this.base;
      return this.#env[name] ?? this.#location.env(name);
    };
    const expand = (whole: string, name: string | undefined): string =>
      (name === undefined ? undefined : value(name))?.slice(0, MAX_PATH) ?? whole;
    let result = text;
    // A variable's value may contain another one.
    for (let round = 0; round < 2; round++)
      result = result
        .slice(0, MAX_EXPANDED)
        .replace(/\$(?:env:)?(\w+)|\$\{(?:env:)?(\w+)[^}]*\}|%(\w+)%/gi, (whole, ...names: (string | undefined)[]) =>
          expand(whole, names[0] ?? names[1] ?? names[2]),
        );
    return result.replace(/(^|[\s"'=:,;])~([\w.-]*)(?=[/\\]|$|[\s"':,;&|)])/g, (whole, before: string, user: string) =>
      user === '' || /[/\\]([^/\\]*)$/.exec(home)?.[1] === user ? before + userHome : whole,
    );
  }
}

function ownVariables(env: StdioConnection['env']): readonly (readonly [string, string])[] {
  return Object.entries(env).filter(([name]) => decidesWhatRuns(name));
}

/** `PATH` in settings extends the inherited one. Other variables replace theirs. */
function inheritedVariables(
  env: StdioConnection['env'],
  location: ProcessLocation,
): readonly (readonly [string, string])[] {
  const own = new Set(Object.keys(env).map((name) => name.toUpperCase()));
  return ['PATH', ...INHERITED.filter((name) => !own.has(name.toUpperCase()))].flatMap((name) => {
    const value = location.env(name);
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
}

function withExtensions(text: string, isWindows: boolean): readonly string[] {
  return isWindows ? WINDOWS_EXTENSIONS.map((extension) => text + extension) : [text];
}

/** Possible paths in a text: the whole, the part after `=`, each word, and the path of a `file:` URL. */
function pathTexts(text: string, style: PathStyle): readonly string[] {
  const found = new Set<string>();
  const add = (piece: string): void => {
    if (piece === '' || piece.length > MAX_PATH || /^-+$/.test(piece)) return;
    found.add(piece);
    // `-I/usr/include`, `-r./hook.js`
    const stuck = /^[-+][-\w]*?((?:[a-z]:|~|\.{1,2})?[/\\].*)$/i.exec(piece)?.[1];
    if (stuck !== undefined) found.add(stuck);
    // `-Cfolder`, also after other letters
    if (/^-[a-z]/i.test(piece))
      for (const length of [2, 3, 4]) if (piece.length > length) found.add(piece.slice(length));
    // `python -m package.module`
    if (/^[\w-]+(?:\.[\w-]+)+$/.test(piece)) {
      const names = piece.split('.');
      names.forEach((_, index) => found.add(names.slice(0, index + 1).join('/')));
    }
    // A drive as Unix shells on Windows write it, or as a share.
    const drive = style.name === 'windows' ? DRIVE_ELSEWHERE.exec(style.slashed(piece)) : null;
    if (drive !== null) found.add(`${drive[1] ?? drive[2]}:/${drive[3] ?? ''}`);
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
  // Words as a shell joins them: `"$HOME"/ws`, `my\ folder/x`.
  for (const [word] of text.matchAll(SHELL_WORD)) {
    const joined = withoutQuoting(word, style);
    if (joined === word) continue;
    for (const piece of [joined, ...joined.split(/[=,:]/)]) add(piece);
  }
  return [...found];
}

const SHELL_WORD = /(?:[^\s"'`;&|<>()\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
/** `/mnt/c/x`, `/cygdrive/c/x`, `/c/x`, `//localhost/c$/x`, `//./c:/x` */
const DRIVE_ELSEWHERE =
  /^(?:\/(?:mnt\/|cygdrive\/)?([a-z])|\/\/(?:localhost|127\.0\.0\.1|\.)\/([a-z])[$:])(?:\/(.*))?$/i;

/** Removes the quotes and escapes of a shell. */
function withoutQuoting(text: string, style: PathStyle): string {
  const plain = text.replace(/["'`]/g, '');
  return style.name === 'windows' ? plain : plain.replace(/\\(.)/gs, '$1');
}

/** Whether an open folder lies below this one. */
function holds(folder: string, openFolders: readonly string[], ignoresCase: boolean): boolean {
  const fold = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  const above = fold(folder.replace(/\/$/, ''));
  return openFolders.some((path) => fold(path).startsWith(`${above}/`) && path.length > above.length + 1);
}

const PYTHON = /(?:^|[\s/\\"'=])(?:py|pythonw?|pypy)[\d.]*(?:\.exe)?(?=$|[\s"'])/i;

/** `python -m x` and `python -c x`, also after `uv run`, `env` or in a script. */
function importsFromWorkingFolder(words: readonly string[]): boolean {
  const at = words.findIndex((word) => PYTHON.test(word));
  return at >= 0 && words.slice(at).some((word) => /(?:^|\s)-[a-z]*[mc]/i.test(word));
}

/** Files that make an open folder itself a package, for a Python that runs in its parent. */
function packagesIn(parents: ReadonlySet<string>, openFolders: readonly string[]): readonly string[] {
  return openFolders
    .filter(
      (path) => /\/[\p{L}_][\p{L}\p{N}_]*$/u.test(path) && parents.has(path.slice(0, path.lastIndexOf('/')) || '/'),
    )
    .flatMap((path) => ['py', 'pyc', 'so', 'abi3.so', 'pyd'].map((ending) => `${path}/__init__.${ending}`));
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
    // After another name it is part of a longer path.
    if (isEnd && !/[\w.~)}\]/\\-]$/.test(text.slice(Math.max(0, at - 1), at))) return true;
  }
  return false;
}

function distinct(uses: readonly WorkspaceUse[]): readonly WorkspaceUse[] {
  const known = new Map<string, WorkspaceUse>();
  for (const use of uses) {
    const key = JSON.stringify([use.what, use.name, use.text]);
    const before = known.get(key);
    // A word may be implied in one reading and explicit in another.
    if (before === undefined || (before.isImplied === true && use.isImplied !== true)) known.set(key, use);
  }
  return [...known.values()];
}
