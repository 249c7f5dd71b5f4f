import type { CancellationToken } from '../base/cancellation.ts';
import type { JsonObject } from '../base/json.ts';
import type { Tool } from '../model/catalog.ts';
import type { ScopeClaim } from '../model/scope.ts';
import type { FileNames } from '../ports.ts';
import { textsAt } from './argumentTargets.ts';
import type { ComputedScope, ScopePlace } from './computed.ts';
import { OpenFolders } from './openFolders.ts';
import { isFolderPlace } from './pathKeys.ts';
import { basesOf, type FoundTarget, foundTarget, type NamedText, type ReadText, readText } from './pathTargets.ts';
import { isUnreadable, LONGEST_TEXT, type Unreadable } from './pathText.ts';
import { posixStyle } from './pathStyle.ts';
import { RealNames } from './realNames.ts';
import { hasDeed, textsOfArguments, textsOfPayload } from './valueTargets.ts';
import type { ReadingContext } from './respellings.ts';
import { windowsStyle } from './windowsPath.ts';

export interface ScopedCall {
  readonly tool: Tool;
  readonly args: JsonObject;
  /** Where in the arguments its targets are; `undefined` where nobody said. */
  readonly adapter: readonly string[] | undefined;
}

/** What a server's request for a scope would touch: by its label, and by all that its payload names. */
export async function targetsOfClaim(
  { label, payload }: ScopeClaim,
  place: ScopePlace,
  names: FileNames,
  token: CancellationToken,
): Promise<ComputedScope> {
  if (label.length > LONGEST_TEXT) return refused(`The label is longer than ${LONGEST_TEXT} characters.`);
  const inPayload = textsOfPayload(payload ?? {});
  if (isUnreadable(inPayload)) return refused(`The payload cannot be judged. ${inPayload.why}`);
  const inLabel = label.trim() === '' ? [] : [{ from: 'label', text: label }];
  const found = await find([...inLabel, ...inPayload], place, names, token);
  if (isUnreadable(found)) return refused(found.why);
  const agrees = agree(found.slice(0, inLabel.length), found.slice(inLabel.length), names.ignoresCase);
  const isWhole = !hasDeed(payload ?? {});
  return { targets: found.map(({ target }) => target), isWhole, refusal: undefined, agrees };
}

/** What a call of a tool would touch, by its arguments. */
export async function targetsOfCall(
  { tool, args, adapter }: ScopedCall,
  place: ScopePlace,
  names: FileNames,
  token: CancellationToken,
): Promise<ComputedScope> {
  const texts = adapter === undefined ? textsOfArguments(tool, args) : textsAt(adapter, args);
  if (isUnreadable(texts)) return refused(texts.why);
  const found = await find(texts, place, names, token);
  if (isUnreadable(found)) return refused(found.why);
  // Who says where a tool's targets are says that there are no others.
  const isWhole = adapter !== undefined || !hasDeed(args);
  return { targets: found.map(({ target }) => target), isWhole, refusal: undefined, agrees: true };
}

function refused(refusal: string): ComputedScope {
  return { targets: [], isWhole: true, refusal, agrees: true };
}

/** Lookups of one request. */
const MOST_LOOKUPS = 2_048;
const TOO_MANY_WAYS: Unreadable = { why: 'It can be read in too many ways.' };

async function find(
  texts: readonly NamedText[],
  place: ScopePlace,
  names: FileNames,
  token: CancellationToken,
): Promise<readonly FoundTarget[] | Unreadable> {
  const style = names.style === 'windows' ? windowsStyle : posixStyle;
  const context = { style, userHome: place.userHome, ignoresCase: names.ignoresCase };
  const bases = basesOf(place, style);
  const inFolders = new ReadTexts(context, bases);
  for (const text of texts) {
    const trouble = inFolders.addFolder(text);
    if (trouble !== undefined) return trouble;
  }
  const read: ReadText[] = [];
  const asked = new Set<string>();
  for (const text of texts) {
    const meant = inFolders.read(text);
    if (isUnreadable(meant)) return at(text.from, meant);
    read.push(meant);
    for (const path of [...meant.likely.asked, ...meant.unlikely.asked]) asked.add(path);
    if (asked.size > MOST_LOOKUPS) return TOO_MANY_WAYS;
  }
  const reals = new RealNames(names, style, token);
  if (asked.size > 0) await reals.ask([...asked, ...OpenFolders.paths(place.folders, style)]);
  const folders = new OpenFolders(place.folders, style, reals, names.ignoresCase);
  const found: FoundTarget[] = [];
  for (const [index, text] of texts.entries()) {
    const meant = read[index];
    if (meant === undefined) continue;
    const target = foundTarget(text, meant, reals, folders);
    if (isUnreadable(target)) return at(text.from, target);
    found.push(target);
  }
  return found;
}

/** Reads texts from all that they may be relative to: of the same request, any other that names a folder. */
class ReadTexts {
  readonly #context: ReadingContext;
  readonly #bases: readonly string[];
  readonly #folders: { readonly from: string; readonly paths: readonly string[] }[] = [];
  readonly #read = new Map<string, ReadText | Unreadable>();

  constructor(context: ReadingContext, bases: readonly string[]) {
    this.#context = context;
    this.#bases = bases;
  }

  addFolder({ from, text }: NamedText): Unreadable | undefined {
    if (!isFolderPlace(from)) return undefined;
    const meant = readText(text, this.#context, this.#bases);
    if (isUnreadable(meant)) return at(from, meant);
    const paths = meant.readings.kind === 'path' ? meant.likely.resolved : [];
    this.#folders.push({ from, paths: paths.filter((path) => !this.#bases.includes(path)) });
    return undefined;
  }

  read({ from, text }: NamedText): ReadText | Unreadable {
    const list = listOf(from);
    const others = this.#folders.flatMap((folder) => (listOf(folder.from) === list ? [] : folder.paths));
    const bases = [...new Set([...this.#bases, ...others])];
    const key = JSON.stringify([text, ...others]);
    const known = this.#read.get(key) ?? readText(text, this.#context, bases);
    this.#read.set(key, known);
    return known;
  }
}

/** Items of one list are not relative to each other. */
function listOf(from: string): string {
  return from.replace(/\/\d+$/, '');
}

function at(from: string, { why }: Unreadable): Unreadable {
  return { why: `${from === 'label' ? 'The label' : `What it says at ${from}`} cannot be judged. ${why}` };
}

/** Whether the label names something that the payload names, where that names anything (MCPL §7.3 only hopes so). */
function agree(label: readonly FoundTarget[], payload: readonly FoundTarget[], ignoresCase: boolean): boolean {
  if (payload.length === 0) return true;
  const fold = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  const named = new Set(payload.flatMap(({ reals }) => reals.map(fold)));
  const hasPaths = payload.some(({ target }) => target.kind === 'path');
  return label.some(({ target, reals }) => {
    return !(target.kind === 'name' && hasPaths) && reals.some((real) => named.has(fold(real)));
  });
}
