import type { CancellationToken } from '../base/cancellation.ts';
import type { JsonObject } from '../base/json.ts';
import type { Tool } from '../model/catalog.ts';
import type { ScopeClaim } from '../model/scope.ts';
import type { FileNames } from '../ports.ts';
import { textsAt } from './argumentTargets.ts';
import type { ComputedScope, ScopePlace } from './computed.ts';
import { OpenFolders } from './openFolders.ts';
import { basesOf, type FoundTarget, foundTarget, type NamedText, type ReadText, readText } from './pathTargets.ts';
import { isUnreadable, LONGEST_TEXT, type Unreadable } from './pathText.ts';
import { posixStyle } from './pathStyle.ts';
import { RealNames } from './realNames.ts';
import { textsOfArguments, textsOfPayload } from './valueTargets.ts';
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
  return { targets: found.map(({ target }) => target), refusal: undefined, agrees };
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
  return { targets: found.map(({ target }) => target), refusal: undefined, agrees: true };
}

function refused(refusal: string): ComputedScope {
  return { targets: [], refusal, agrees: true };
}

/** Lookups of one request. */
const MOST_LOOKUPS = 2_048;

async function find(
  texts: readonly NamedText[],
  place: ScopePlace,
  names: FileNames,
  token: CancellationToken,
): Promise<readonly FoundTarget[] | Unreadable> {
  const style = names.style === 'windows' ? windowsStyle : posixStyle;
  const context = { style, userHome: place.userHome, ignoresCase: names.ignoresCase };
  const bases = basesOf(place, style);
  const read = new Map<string, ReadText>();
  const asked = new Set<string>();
  for (const { from, text } of texts) {
    if (read.has(text)) continue;
    const meant = readText(text, context, bases);
    if (isUnreadable(meant)) return at(from, meant);
    read.set(text, meant);
    for (const path of [...meant.likely.asked, ...meant.unlikely.asked]) asked.add(path);
    if (asked.size > MOST_LOOKUPS) return { why: 'It can be read in too many ways.' };
  }
  const reals = new RealNames(names, style, token);
  if (asked.size > 0) await reals.ask([...asked, ...OpenFolders.paths(place.folders, style)]);
  const folders = new OpenFolders(place.folders, style, reals, names.ignoresCase);
  const found: FoundTarget[] = [];
  for (const text of texts) {
    const meant = read.get(text.text);
    const target = meant === undefined ? undefined : foundTarget(text, meant, reals, folders);
    if (target === undefined) continue;
    if (isUnreadable(target)) return at(text.from, target);
    found.push(target);
  }
  return found;
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
