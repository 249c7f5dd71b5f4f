import { withoutAnyCase } from './letterCase.ts';

/** Facts about a glob that need no matching: the required parts of a text, and the cost of a match. */
export interface GlobShape {
  /** The prefix of every matching text. */
  readonly head: string;
  /** The suffix of every matching text, including the final `/`. */
  readonly tail: string;
  /** A substring of every matching text. */
  readonly probe: string;
  /** Steps that every match costs, however short the text. */
  readonly base: number;
  /** Maximum additional steps per character of the text, if case matters. */
  readonly weight: number;
}

/** Longer probes reject hardly more texts, and searching for them may take as long as matching. */
const MAX_PROBE = 32;
/** Cost of testing a character class, relative to comparing a letter. */
const CLASS = 16;
/** Cost of compiling a glob for its first text, and of starting a match. */
const START = 2_000;
/** Compile cost per character of a glob, and once more per class. */
const READING = 32;

interface Segment {
  readonly kind: 'plain' | 'magic' | 'any';
  /** Literal text at the start and the end. */
  readonly prefix: string;
  readonly suffix: string;
  /** The longest literal text in the segment. */
  readonly run: string;
  /** Steps per character of a text, because `*` retries at every position. */
  readonly weight: number;
}

/** For a glob without braces, and texts that end with `/`. With `isAnyCase`, both are compared without case. */
export function globShapeOf(glob: string, isAnyCase: boolean): GlobShape {
  const segments = (glob === '/' ? '' : glob).split('/').map(segmentOf);
  const classes = glob.split('[').length;
  const first = segments.findIndex(({ kind }) => kind === 'any');
  const last = segments.findLastIndex(({ kind }) => kind === 'any');
  const inner = first < 0 ? [] : segments.slice(first, last).filter(({ kind }) => kind !== 'any');
  const outer = first < 0 ? segments : [...segments.slice(0, first), ...segments.slice(last + 1)];
  // Between two `**` each segment may be tried at every position. Other segments have a single position.
  const weight =
    inner.reduce((sum, segment) => sum + 1 + segment.weight, 0) +
    Math.max(0, ...outer.map((outside) => outside.weight));
  const fold = isAnyCase ? withoutAnyCase : asItIs;
  return {
    head: fold(headOf(segments)),
    tail: fold(tailOf(segments)),
    probe: fold(probeOf(segments)),
    base: START + READING * glob.length * classes * (isAnyCase ? CLASS : 1),
    weight: 1 + weight,
  };
}

function asItIs(text: string): string {
  return text;
}

const SIGNS = ['*', '?', '[', ']', '\\'];
const SIGN = /[*?[\]\\]/;
const PREFIX = /^(?:[^*?[\]\\]|\\.)*/s;
const RUN = /(?:[^*?[\]\\]|\\.)+/gs;

const ANY: Segment = { kind: 'any', prefix: '', suffix: '', run: '', weight: 0 };
const ONE: Segment = { kind: 'magic', prefix: '', suffix: '', run: '', weight: 1 };

function segmentOf(text: string): Segment {
  if (text === '**') return ANY;
  if (text === '*') return ONE;
  if (!SIGN.test(text)) return plainSegment(text);
  const prefix = PREFIX.exec(text)?.[0] ?? '';
  if (prefix === text) return plainSegment(bare(text));
  const suffix = text.slice(Math.max(...SIGNS.map((sign) => text.lastIndexOf(sign))) + 1);
  // Literal-looking text may be part of a class.
  const runs = text.includes('[') ? [suffix] : [...text.matchAll(RUN)].map(([run]) => bare(run));
  const run = runs.reduce((longest, other) => (other.length > longest.length ? other : longest), suffix);
  return { kind: 'magic', prefix: bare(prefix), suffix, run, weight: weightOf(text, suffix) };
}

function plainSegment(text: string): Segment {
  return { kind: 'plain', prefix: text, suffix: text, run: text, weight: 0 };
}

function weightOf(text: string, suffix: string): number {
  const [, ...parts] = text.slice(0, text.length - suffix.length).split('*');
  const once = text.includes('[') ? CLASS : 1;
  return Math.max(once, ...parts.map((part) => part.length + CLASS * (part.split('[').length - 1)));
}

function bare(text: string): string {
  return text.replace(/\\(.)/gs, '$1');
}

function headOf(segments: readonly Segment[]): string {
  const end = segments.findIndex(({ kind }) => kind !== 'plain');
  const plain = (end < 0 ? segments : segments.slice(0, end)).map(({ prefix }) => `${prefix}/`).join('');
  return end < 0 ? plain : plain + (segments[end]?.prefix ?? '');
}

function tailOf(segments: readonly Segment[]): string {
  return `${segments.at(-1)?.suffix ?? ''}/`;
}

function probeOf(segments: readonly Segment[]): string {
  const probes = segments.map(({ kind, suffix, run }) => {
    const ending = kind === 'any' ? '' : `${suffix}/`;
    return run.length > suffix.length ? run : ending;
  });
  return probes.reduce((longest, other) => (other.length > longest.length ? other : longest), '').slice(-MAX_PROBE);
}
