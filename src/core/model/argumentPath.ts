import { lazy } from '../base/lazy.ts';

/** A location in a tool's arguments, in a small subset of JSONPath (RFC 9535). */
export type ArgumentPath = readonly ArgumentStep[];

type ArgumentStep =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'item'; readonly index: number }
  /** Every item of a list. */
  | { readonly kind: 'items' };

const MAX_PATH = 512;
const MAX_STEPS = 16;

const stepPattern = lazy(
  () =>
    new RegExp(
      [
        /\.(?<plain>[\p{L}_$][\p{L}\p{N}_$-]*)/u,
        /\[\*\]/u,
        /\[(?<index>0|[1-9]\d{0,5})\]/u,
        /\['(?<single>(?:[^'\\]|\\['\\])*)'\]/u,
        /\["(?<double>(?:[^"\\]|\\["\\])*)"\]/u,
      ]
        .map(({ source }) => source)
        .join('|'),
      'uy',
    ),
);

/** Parses `$.path`, `$['odd key']`, `$.files[*].path` or `$[0]`. Returns `undefined` for invalid paths, and for `$`. */
export function parseArgumentPath(text: string): ArgumentPath | undefined {
  if (text.length > MAX_PATH || !text.startsWith('$')) return undefined;
  const steps: ArgumentStep[] = [];
  const step = stepPattern();
  step.lastIndex = 1;
  while (step.lastIndex < text.length) {
    const groups = step.exec(text)?.groups;
    if (groups === undefined || steps.length >= MAX_STEPS) return undefined;
    steps.push(stepOf(groups));
  }
  return steps.length === 0 ? undefined : steps;
}

function stepOf({ plain, index, single, double }: Readonly<Record<string, string | undefined>>): ArgumentStep {
  if (index !== undefined) return { kind: 'item', index: Number(index) };
  const name = plain ?? (single ?? double)?.replace(/\\(.)/gu, '$1');
  return name === undefined ? { kind: 'items' } : { kind: 'member', name };
}
