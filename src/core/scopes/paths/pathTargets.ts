import { cleanLine } from '../../base/cleanText.ts';
import { clip } from '../../base/json.ts';
import type { ComputedTarget, ScopeContext } from './computed.ts';
import type { OpenFolders, RealNames } from './realNames.ts';
import { type ReadAs, type ReadingContext, type Readings, readingsOf } from './pathReadings.ts';
import type { PathStyle } from './pathStyle.ts';
import { isUnreadable, type Unreadable } from './pathText.ts';

/** A text of a request that names a target. */
export interface NamedText {
  /** `label`, or a JSON Pointer. */
  readonly from: string;
  readonly text: string;
  /** Default: by its form. */
  readonly as?: ReadAs;
  /** Default: true, the subject of the request. */
  readonly isAnchor?: boolean;
}

/** A line of a request that may name something. */
export interface CheckedText {
  readonly from: string;
  readonly text: string;
  /** Prose, in which a path is only mentioned. */
  readonly isProse: boolean;
  /** A member name, which can only be denied. */
  readonly isMember?: boolean;
}

/** A text with all its readings, before any file system lookup. */
export interface ReadText {
  readonly readings: Readings;
  readonly likely: Meanings;
  readonly unlikely: Meanings;
}

/** The meanings of a text at every base. */
export interface Meanings {
  /** Resolved as text. */
  readonly resolved: readonly string[];
  /** Paths to look up in the file system, as written first. */
  readonly asked: readonly string[];
}

/** A target with all its possible real paths. */
export interface FoundTarget {
  readonly target: ComputedTarget;
  readonly reals: readonly string[];
}

export const MAX_MEANINGS = 512;
const MAX_WRITTEN = 512;

export function readText(
  text: string,
  context: ReadingContext,
  bases: readonly string[],
  as: ReadAs = 'any',
): ReadText | Unreadable {
  const readings = readingsOf(text, context, as);
  if (isUnreadable(readings)) return readings;
  const { style } = context;
  const certain = readings.kind === 'path' ? readings.texts : [];
  const written = certain.flatMap((path) => absolute(path, style, bases));
  if (readings.kind === 'path' && written.length === 0)
    return { why: 'It is relative, and no folder is open that it could be relative to.' };
  const why = written.map((path) => style.trouble(path)).find((trouble) => trouble !== undefined);
  if (why !== undefined) return { why };
  const guesses = (texts: readonly string[]): readonly string[] =>
    texts
      .flatMap((path) => absolute(path, style, bases))
      .filter((path) => style.trouble(style.normal(path)) === undefined);
  const likely = meanings([...written, ...guesses(readings.possible)], style);
  const unlikely = meanings(guesses(readings.unlikely), style);
  if (likely.asked.length + unlikely.asked.length > MAX_MEANINGS) return { why: 'It can be read in too many ways.' };
  return { readings, likely, unlikely };
}

export function absolute(path: string, style: PathStyle, bases: readonly string[]): readonly string[] {
  return style.isAbsolute(path) ? [style.from('', path)] : bases.map((base) => style.from(base, path));
}

export function meanings(paths: readonly string[], style: PathStyle): Meanings {
  const resolved = unique(paths.map((path) => style.normal(path)));
  // Windows removes `..` before it resolves links.
  return { resolved, asked: style.name === 'windows' ? resolved : unique([...paths, ...resolved]) };
}

/** The target of a text, after the file system lookups. */
export function foundTarget(
  { from, text, isAnchor = true }: NamedText,
  { readings, likely, unlikely }: ReadText,
  names: RealNames,
  folders: OpenFolders,
): FoundTarget | Unreadable {
  const written = cleanLine(text, MAX_WRITTEN);
  const shadows = formsOf(unlikely, realsOf(unlikely, names));
  if (readings.kind === 'name') {
    const [name = ''] = readings.texts;
    const forms = readings.texts;
    const target = {
      kind: 'name',
      from,
      written,
      real: name,
      inside: undefined,
      forms,
      reals: forms,
      shadows,
      names: readings.names,
      isAnchor,
    } as const;
    return { target, reals: forms };
  }
  const lost = likely.asked.map((path) => names.of(path)).find((real) => real.kind === 'unknown');
  if (lost?.kind === 'unknown') return { why: clip(lost.why, MAX_WRITTEN) };
  // Unlikely readings do not count, unless a file with that name exists.
  const meant = together(likely, existingOnly(unlikely, names));
  const reals = realsOf(meant, names);
  const real = shownOf(meant, reals, names, folders);
  const forms = formsOf(meant, reals);
  const others = shadows.filter((path) => !forms.includes(path));
  const inside = folders.inside(real);
  const { names: asNames } = readings;
  return {
    target: { kind: 'path', from, written, real, inside, forms, reals, shadows: others, names: asNames, isAnchor },
    reals,
  };
}

/**
 * If readings lead to different places, the question shows the most important one: outside the folders. Existing files
 * come before missing ones.
 */
function shownOf({ asked }: Meanings, reals: readonly string[], names: RealNames, folders: OpenFolders): string {
  const outside = reals.filter((path) => folders.inside(path) === undefined);
  const candidates = outside.length > 0 ? outside : reals;
  const there = new Set<string>();
  for (const path of asked) {
    const real = names.of(path);
    if (real.kind === 'real' && real.exists) there.add(real.path);
  }
  return candidates.find((path) => there.has(path)) ?? candidates[0] ?? '';
}

export function existingOnly({ asked, resolved }: Meanings, names: RealNames): Meanings {
  const isThere = (path: string): boolean => {
    const real = names.of(path);
    return real.kind === 'real' && real.exists;
  };
  return { asked: asked.filter(isThere), resolved: resolved.filter(isThere) };
}

function together(a: Meanings, b: Meanings): Meanings {
  return { asked: [...a.asked, ...b.asked], resolved: [...a.resolved, ...b.resolved] };
}

export function realsOf({ asked }: Meanings, names: RealNames): readonly string[] {
  return unique(
    asked.flatMap((path) => {
      const real = names.of(path);
      return real.kind === 'real' ? [real.path] : [];
    }),
  );
}

/** macOS exposes the whole data volume a second time under its own path, without a link. */
const DATA_VOLUME = /^\/System\/Volumes\/Data(?=\/|$)/i;

export function formsOf({ resolved }: Meanings, reals: readonly string[]): readonly string[] {
  const forms = [...resolved.map((path) => path.normalize('NFC')), ...reals];
  return unique([...forms, ...forms.map((path) => path.replace(DATA_VOLUME, '') || '/')]);
}

/** The absolute bases for relative paths. */
export function basesOf({ bases }: ScopeContext, style: PathStyle): readonly string[] {
  return unique(bases.map((base) => style.slashed(base)).filter((base) => style.isAbsolute(base)));
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

/** Per request, including the label. */
export const MAX_TARGETS = 64;
const TOO_MANY_TARGETS: Unreadable = { why: `It names more than ${MAX_TARGETS} things.` };

const DEEPEST = 32;
const MAX_VALUES = 20_000;
const MAX_FROM = 256;
/** With more texts, the rest is not checked and the user decides. */
const MAX_CHECKED = 1_000;

/** The texts of a request. */
export interface FoundTexts {
  readonly targets: readonly NamedText[];
  /**
   * Other texts that may name a target. Each is compared with the lists, and only those that lead outside need
   * approval.
   */
  readonly checked: readonly CheckedText[];
  /** False if there are too many to check. */
  readonly isWhole: boolean;
}

/** Collects texts that name targets from values of any size and depth. */
export class TargetTexts {
  readonly #texts: NamedText[] = [];
  readonly #checked = new Map<string, CheckedText>();
  #isWhole = true;
  readonly #most: number;
  #values = 0;
  #trouble: Unreadable | undefined;

  constructor(most: number = MAX_TARGETS) {
    this.#most = most;
  }

  /** A JSON Pointer for display: bounded and without control characters. */
  static at(from: string, key: string): string {
    if (from.length >= MAX_FROM) return from;
    return cleanLine(`${from}/${key.slice(0, MAX_FROM).replaceAll('~', '~0').replaceAll('/', '~1')}`, MAX_FROM);
  }

  get found(): FoundTexts | Unreadable {
    if (this.#trouble !== undefined) return this.#trouble;
    return { targets: this.#texts, checked: [...this.#checked.values()], isWhole: this.#isWhole };
  }

  get hasTargets(): boolean {
    return this.#texts.length > 0;
  }

  add(text: NamedText): void {
    if (this.#texts.length >= this.#most) this.#trouble = TOO_MANY_TARGETS;
    else this.#texts.push(text);
  }

  /** Counts equal texts once, wherever they occur. */
  check(checked: CheckedText): void {
    const key = `${checked.isProse ? 'prose' : checked.isMember === true ? 'member' : 'text'} ${checked.text}`;
    if (this.#checked.has(key)) return;
    if (this.#checked.size >= MAX_CHECKED) this.#isWhole = false;
    else this.#checked.set(key, checked);
  }

  refuse(why: string): void {
    this.#trouble ??= { why };
  }

  /** Counts a value; returns whether to check it. */
  mayGoOn(depth: number): boolean {
    if (this.#trouble !== undefined) return false;
    if (depth > DEEPEST || ++this.#values > MAX_VALUES) this.refuse('It is too large to check.');
    return this.#trouble === undefined;
  }
}
