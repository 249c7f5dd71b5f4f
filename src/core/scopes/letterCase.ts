const ASCII = /^[\0-\x7F]*$/;

type Letter = (letter: string) => string;

const eachLetter = (text: string, change: Letter): string => {
  if (ASCII.test(text)) return text.toLowerCase();
  let changed = '';
  for (const letter of text) changed += change(letter);
  return changed;
};

const one = (letter: string, other: string): string => ([...other].length === 1 ? other : letter);

/**
 * The same for all spellings that any file system takes for one as long as none grows: a letter stays a letter, so
 * that `?` stays as right as it was.
 */
export function withoutCase(text: string): string {
  return eachLetter(text, (letter) => one(letter, one(letter, letter.toUpperCase()).toLowerCase()));
}

/** The same also where a letter is two in another case, as some systems have it: `ß` and `SS`. */
export function withoutCaseOrLength(text: string): string {
  return eachLetter(text, lowestOf).normalize('NFC');
}

/** Letter by letter: whether a sigma ends a word depends on what a pattern has beside it. */
function lowestOf(letter: string): string {
  let lower = '';
  for (const upper of letter.toLowerCase().toUpperCase()) lower += upper.toLowerCase();
  return lower;
}

/** The same only for spellings that every such system takes for one: letters with exactly one other case, and back. */
export function withoutPlainCase(text: string): string {
  return eachLetter(text, (letter) => {
    const lower = letter.toLowerCase();
    return lower.toUpperCase() === letter ? lower : letter;
  });
}
