import type { CancellationToken } from '../../base/cancellation.ts';
import { type JsonObject, isJsonArray, isJsonObject, type Json } from '../../base/json.ts';
import type { Tool } from '../../model/catalog.ts';
import type { ScopeClaim } from '../../model/scope.ts';
import type { FileNames } from '../../ports.ts';
import {
  type CheckContext,
  foundCheck,
  isWholeThere,
  lineOf,
  type ReadCheck,
  readChecked,
  readPartsOf,
} from './checkedTexts.ts';
import {
  type ComputedScope,
  type ComputedText,
  EVERY_CONCERN,
  type ScopeConcern,
  type ScopeContext,
} from './computed.ts';
import { OpenFolders, RealNames } from './realNames.ts';
import { isChildMember, isContentKey, isFolderMember, isProseKey, isQualifierKey } from './pathKeys.ts';
import { type ReadingContext, TOO_MANY } from './pathReadings.ts';
import {
  basesOf,
  type FoundTarget,
  foundTarget,
  type FoundTexts,
  type NamedText,
  type ReadText,
  readText,
  TargetTexts,
} from './pathTargets.ts';
import { isUnreadable, MAX_TEXT, type Unreadable } from './pathText.ts';
import { posixStyle, windowsStyle } from './pathStyle.ts';
import { hasAction, textsOfArguments, textsOfPayload } from './valueTargets.ts';
import { type ArgumentPath, parseArgumentPath } from '../../model/argumentPath.ts';

interface ScopedCall {
  readonly tool: Tool;
  readonly args: JsonObject;
  /** The members that hold its targets. `undefined` without an adapter. */
  readonly adapter: readonly string[] | undefined;
}

/** The targets of a scope request: those of its label and of its payload. */
export async function targetsOfClaim(
  { label, payload = {} }: ScopeClaim,
  scope: ScopeContext,
  names: FileNames,
  token: CancellationToken,
  concern: ScopeConcern = EVERY_CONCERN,
): Promise<ComputedScope> {
  if (label.length > MAX_TEXT) return refused(`The label is longer than ${MAX_TEXT} characters.`);
  const inPayload = textsOfPayload(payload, concern);
  if (isUnreadable(inPayload)) return refused(`The payload cannot be judged. ${inPayload.why}`);
  // The kind from the payload, if it has the same text: a label alone does not distinguish "@a/b" from a person.
  const as = inPayload.targets.find(({ text }) => text === label)?.as ?? 'any';
  const inLabel = label.trim() === '' ? [] : [{ from: 'label', text: label, as }];
  const texts = { ...inPayload, targets: [...inLabel, ...inPayload.targets] };
  const found = await find(texts, scope, names, token, concern);
  if (isUnreadable(found)) return refused(found.why);
  const [ofLabel, ofPayload] = [found.targets.slice(0, inLabel.length), found.targets.slice(inLabel.length)];
  const agrees = agree(ofLabel, ofPayload, found.checked, names.ignoresCase);
  const targets = found.targets.map(({ target }) => target);
  return { targets, checked: found.checked, isWhole: found.isWhole && !hasAction(payload), refusal: undefined, agrees };
}

/** The targets of a tool call, by its arguments. */
export async function targetsOfCall(
  { tool, args, adapter }: ScopedCall,
  scope: ScopeContext,
  names: FileNames,
  token: CancellationToken,
  concern: ScopeConcern = EVERY_CONCERN,
): Promise<ComputedScope> {
  const texts = adapter === undefined ? textsOfArguments(tool, args, concern) : textsAt(adapter, args);
  if (isUnreadable(texts)) return refused(texts.why);
  const found = await find(texts, scope, names, token, concern);
  if (isUnreadable(found)) return refused(found.why);
  // An adapter means that the tool has no other targets.
  const isWhole = found.isWhole && (adapter !== undefined || !hasAction(args));
  const targets = found.targets.map(({ target }) => target);
  return { targets, checked: found.checked, isWhole, refusal: undefined, agrees: true };
}

function refused(refusal: string): ComputedScope {
  return { targets: [], checked: [], isWhole: true, refusal, agrees: true };
}

/** Maximum lookups for targets, and as many again for other texts. */
const MAX_LOOKUPS = 2_048;
const MAX_NEIGHBOURS = 4;

interface Found {
  readonly targets: readonly FoundTarget[];
  readonly checked: readonly ComputedText[];
  /** False if there was too much to check. */
  readonly isWhole: boolean;
}

async function find(
  texts: FoundTexts,
  scope: ScopeContext,
  names: FileNames,
  token: CancellationToken,
  concern: ScopeConcern,
): Promise<Found | Unreadable> {
  const style = names.style === 'windows' ? windowsStyle : posixStyle;
  const context = { style, userHome: scope.userHome, ignoresCase: names.ignoresCase };
  const bases = basesOf(scope, style);
  const inFolders = new ReadTexts(context, bases);
  const asked = new Set<string>();
  const read = readTargets(texts.targets, inFolders, asked);
  if (isUnreadable(read)) return read;
  const neighbours = neighboursOf(texts, read, context);
  const checks = readChecks(texts, { context, concern, bases: inFolders.all, neighbours });
  if (isUnreadable(checks)) return checks;
  const most = asked.size + MAX_LOOKUPS;
  let isWhole = texts.isWhole;
  for (const check of checks) {
    if (check === undefined || asked.size + check.asked.length > most) isWhole = false;
    else for (const path of check.asked) asked.add(path);
  }
  const reals = new RealNames(names, style, token);
  if (asked.size > 0) await reals.ask([...asked, ...OpenFolders.paths(scope.folders, style)]);
  const folders = new OpenFolders(scope.folders, style, reals, names.ignoresCase);
  const targets = foundTargets(texts.targets, read, reals, folders);
  if (isUnreadable(targets)) return targets;
  const checked = checks
    .filter((check) => check !== undefined)
    .filter((check) => !isWholeThere(check, reals))
    .map((check) => foundCheck(check, reals, folders, concern));
  return { targets, checked, isWhole };
}

function foundTargets(
  texts: readonly NamedText[],
  read: readonly ReadText[],
  reals: RealNames,
  folders: OpenFolders,
): readonly FoundTarget[] | Unreadable {
  const targets: FoundTarget[] = [];
  for (const [index, text] of texts.entries()) {
    const meant = read[index];
    if (meant === undefined) continue;
    const target = foundTarget(text, meant, reals, folders);
    if (isUnreadable(target)) return at(text.from, target);
    targets.push(target);
  }
  return targets;
}

/** Reads all texts, and adds the paths to look up to `asked`. */
function readTargets(
  texts: readonly NamedText[],
  inFolders: ReadTexts,
  asked: Set<string>,
): readonly ReadText[] | Unreadable {
  for (const text of texts) {
    const trouble = inFolders.addFolder(text);
    if (trouble !== undefined) return trouble;
  }
  const read: ReadText[] = [];
  for (const text of texts) {
    const meant = inFolders.read(text);
    if (isUnreadable(meant)) return at(text.from, meant);
    read.push(meant);
    for (const path of [...meant.likely.asked, ...meant.unlikely.asked]) asked.add(path);
    if (asked.size > MAX_LOOKUPS) return TOO_MANY;
  }
  return read;
}

/** The targets of a request and their folders: another name in the request may be inside one. */
function neighboursOf(
  { targets, checked }: FoundTexts,
  read: readonly ReadText[],
  { style }: ReadingContext,
): readonly string[] {
  const paths = targets.flatMap(({ from }, index) => {
    const { readings, likely } = read[index] ?? {};
    return readings?.kind === 'path' && !isChildMember(from) ? (likely?.resolved.slice(0, 1) ?? []) : [];
  });
  const others = checked.map(({ text }) => style.slashed(text)).filter((text) => style.isAbsolute(text));
  const all = [...paths, ...others.map((path) => style.normal(path))];
  return [...new Set(all.flatMap((path) => [path, path.replace(/[^/]*$/, '')]))].slice(0, MAX_NEIGHBOURS);
}

function readChecks(
  { targets, checked }: FoundTexts,
  scope: CheckContext,
): readonly (ReadCheck | undefined)[] | Unreadable {
  const checks: (ReadCheck | undefined)[] = [];
  let lookups = 0;
  const add = (from: string, read: readonly (ReadCheck | undefined)[] | Unreadable): Unreadable | undefined => {
    if (isUnreadable(read)) return at(from, read);
    checks.push(...read);
    for (const check of read) lookups += check?.asked.length ?? 0;
    return undefined;
  };
  for (const { from, text } of targets) {
    if (lookups > MAX_LOOKUPS) return [...checks, undefined];
    const line = from === 'label' ? undefined : lineOf(text);
    const trouble = line === undefined ? undefined : add(from, readPartsOf(from, line, scope));
    if (trouble !== undefined) return trouble;
  }
  for (const text of checked) {
    // The rest is not checked, so the user is asked.
    if (lookups > MAX_LOOKUPS) return [...checks, undefined];
    const trouble = add(text.from, readChecked(text, scope));
    if (trouble !== undefined) return trouble;
  }
  return checks;
}

/** Reads texts relative to every base, including other texts of the request that name a folder. */
class ReadTexts {
  readonly #context: ReadingContext;
  readonly #bases: readonly string[];
  readonly #folders: { readonly from: string; readonly paths: readonly string[] }[] = [];
  readonly #read = new Map<string, ReadText | Unreadable>();

  constructor(context: ReadingContext, bases: readonly string[]) {
    this.#context = context;
    this.#bases = bases;
  }

  /** All bases of relative paths. */
  get all(): readonly string[] {
    return [...new Set([...this.#bases, ...this.#folders.flatMap(({ paths }) => paths)])];
  }

  addFolder({ from, text, as }: NamedText): Unreadable | undefined {
    if (!isFolderMember(from)) return undefined;
    const meant = readText(text, this.#context, this.#bases, as);
    if (isUnreadable(meant)) return at(from, meant);
    const paths = meant.readings.kind === 'path' ? meant.likely.resolved : [];
    this.#folders.push({ from, paths: paths.filter((path) => !this.#bases.includes(path)) });
    return undefined;
  }

  read({ from, text, as }: NamedText): ReadText | Unreadable {
    const list = listOf(from);
    const others = this.#folders.flatMap((folder) => (listOf(folder.from) === list ? [] : folder.paths));
    const bases = [...new Set([...this.#bases, ...others])];
    const key = JSON.stringify([text, as ?? 'any', ...others]);
    const known = this.#read.get(key) ?? readText(text, this.#context, bases, as);
    this.#read.set(key, known);
    return known;
  }
}

/** Items of one list are not relative to each other. */
function listOf(from: string): string {
  return from.replace(/\/\d+$/, '');
}

function at(from: string, { why }: Unreadable): Unreadable {
  return { why: `${from === 'label' ? 'The label' : `The value at ${from}`} cannot be judged. ${why}` };
}

/** Payload words that describe an operation instead of a target. */
const MODES =
  /^(?:read|write|append|create|delete|move|rename|list|execute|update|post|send|get|utf-?8|r|w|a|rw|file|low|normal|medium|high|urgent)$/i;

/** Whether a payload word may name something that the label does not name. */
function isMissingInLabel(
  { target }: ComputedText,
  label: readonly FoundTarget[],
  fold: (text: string) => string,
): boolean {
  const key = target.from.replace(/(?:\/\d+)+$/, '').replace(/^.*\//, '');
  if (isContentKey(key) || isProseKey(key) || isQualifierKey(key)) return false;
  const own = new Set([...target.reals, ...target.names].map(fold));
  return !label.some(({ target: { names }, reals }) => [...reals, ...names].some((name) => own.has(fold(name))));
}

/**
 * Whether the label names one of the targets of the payload, if it has any (MCPL §7.3 does not require it). In a payload
 * with words but no targets, the label must be one of the words.
 */
function agree(
  label: readonly FoundTarget[],
  payload: readonly FoundTarget[],
  checked: readonly ComputedText[],
  ignoresCase: boolean,
): boolean {
  const words = checked.filter(({ isWord, target }) => isWord && !MODES.test(target.written));
  if (payload.length === 0 && words.length === 0) return true;
  const fold = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  const named = new Set([
    ...payload.flatMap(({ target, reals }) => [...reals, ...target.names].map(fold)),
    ...words.flatMap(({ target }) => [...target.reals, ...target.names].map(fold)),
  ]);
  if (label.some(({ target }) => target.kind === 'name') && words.some((word) => isMissingInLabel(word, label, fold)))
    return false;
  const hasPaths = payload.some(({ target }) => target.kind === 'path');
  return label.some(({ target, reals }) => {
    return !(target.kind === 'name' && hasPaths) && reals.some((real) => named.has(fold(real)));
  });
}

/** The texts that a tool's setting selects. An omitted argument names nothing. */
function textsAt(adapter: readonly string[], args: JsonObject): FoundTexts | Unreadable {
  const texts = new TargetTexts();
  for (const written of adapter) {
    const path = parseArgumentPath(written);
    if (path === undefined) texts.refuse('The "scopeAdapters" setting of this tool cannot be read.');
    else follow(args, path, '/arguments', texts);
  }
  return texts.found;
}

function follow(value: Json | undefined, path: ArgumentPath, from: string, texts: TargetTexts): void {
  if (value === undefined || value === null || !texts.mayGoOn(0)) return;
  const [step, ...rest] = path;
  switch (step?.kind) {
    case undefined:
      take(value, from, texts);
      return;
    case 'member':
      if (!isJsonObject(value)) refuse(texts);
      else if (Object.hasOwn(value, step.name)) follow(value[step.name], rest, TargetTexts.at(from, step.name), texts);
      return;
    case 'item':
      if (isJsonArray(value)) follow(value[step.index], rest, `${from}/${step.index}`, texts);
      else refuse(texts);
      return;
    case 'items':
      if (isJsonArray(value)) value.forEach((item, index) => follow(item, rest, `${from}/${index}`, texts));
      else refuse(texts);
  }
}

function take(value: Json, from: string, texts: TargetTexts): void {
  if (typeof value === 'string') texts.add({ from, text: value });
  else if (!isJsonArray(value)) refuse(texts);
  else
    value.forEach((item, index) => {
      if (typeof item === 'string') texts.add({ from: `${from}/${index}`, text: item });
      else refuse(texts);
    });
}

/** It is unknown how a server would read a value that is not a text. */
function refuse(texts: TargetTexts): void {
  texts.refuse('Its arguments do not match the "scopeAdapters" setting of this tool.');
}
