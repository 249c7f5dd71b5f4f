import type { MemoryDraft } from './memoryBook.ts';

interface HeardReminder {
  readonly text: string;
  readonly seconds: number;
}

interface Heard {
  readonly memories: readonly MemoryDraft[];
  readonly reminders: readonly HeardReminder[];
}

/** People introduce themselves at the start of a message, not deep inside a pasted text. */
const LONGEST = 4_000;
const MAX_SENTENCES = 50;

const NAME =
  /\b(?:[Mm]y name(?: is|['’]s)(?! not\b)|I(?: am|['’]m) called|[Cc]all me(?= \p{Lu}))\s+(\p{L}[\p{L}\p{M}'’-]{0,39}(?: \p{Lu}[\p{L}\p{M}'’-]{0,39}){0,3})/u;
const PREFERENCE = /\bI (?:(?:really|always|usually|much) )?prefer (.{1,200}?)(?=,? and (?:my|I)\b|$)/i;
const FAVORITE = /\bmy favou?rite ([\p{L}\p{N} ]{1,40}?) is (.{1,200}?)(?=,? and (?:my|I)\b|$)/iu;
const FACT = /(?<!\b(?:you|i|we|they|not|don['’]t) )\bremember(?: that|:) ?(.{1,400})$/i;

const AMOUNT = String.raw`(\d{1,5}|an?|one) ?(s|secs?|seconds?|m|mins?|minutes?|h|hours?)`;
const REMIND_IN = new RegExp(String.raw`\bremind me in ${AMOUNT}\b[,:]? (?:to|that|about|of) (.{1,300})$`, 'i');
const REMIND_TO = new RegExp(String.raw`\bremind me (?:to|that|about|of) (.{1,300}?) in ${AMOUNT}\b`, 'i');

/** Extracts the facts that a message asks to remember. Only plain statements count: guesses would be wrong. */
export function hear(message: string): Heard {
  const sentences = message
    .slice(0, LONGEST)
    .split(/(?<=[.!?]) +|\n+/)
    .slice(0, MAX_SENTENCES)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim());
  return {
    // A question states nothing, so it yields no memory.
    memories: sentences.filter((sentence) => !sentence.endsWith('?')).flatMap(memoriesIn),
    reminders: sentences.flatMap(remindersIn),
  };
}

function memoriesIn(sentence: string): readonly MemoryDraft[] {
  const said = sentence.replace(/[.!]+$/, '');
  const [, name] = NAME.exec(said) ?? [];
  const [, preferred] = PREFERENCE.exec(said) ?? [];
  const [, what, favorite] = FAVORITE.exec(said) ?? [];
  const found: MemoryDraft[] = [
    ...(name === undefined ? [] : [{ kind: 'name', text: `The user's name is ${name}.` } as const]),
    ...(preferred === undefined ? [] : [{ kind: 'preference', text: `The user prefers ${preferred}.` } as const]),
    ...(favorite === undefined
      ? []
      : [{ kind: 'preference', text: `The user's favorite ${String(what)} is ${favorite}.` } as const]),
  ];
  const [, fact] = FACT.exec(said) ?? [];
  return found.length > 0 || fact === undefined ? found : [{ kind: 'fact', text: `The user said: ${fact}.` }];
}

function remindersIn(sentence: string): readonly HeardReminder[] {
  const said = sentence.replace(/[.!?]+$/, '');
  const [, number, unit, text] = REMIND_IN.exec(said) ?? [];
  if (text !== undefined) return [{ text, seconds: secondsOf(number, unit) }];
  const [, later, laterNumber, laterUnit] = REMIND_TO.exec(said) ?? [];
  return later === undefined ? [] : [{ text: later, seconds: secondsOf(laterNumber, laterUnit) }];
}

function secondsOf(number: string | undefined, unit: string | undefined): number {
  const amount = Number(number);
  const factor = { s: 1, m: 60, h: 3_600 }[(unit ?? 's').charAt(0).toLowerCase()] ?? 1;
  return (Number.isNaN(amount) ? 1 : amount) * factor;
}
