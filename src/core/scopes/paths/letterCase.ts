const ASCII = /^[\0-\x7F]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/**
 * The forms of a text without case, on any file system. Two texts that some system treats as equal share at least one
 * form.
 */
export function allCases(text: string): readonly string[] {
  if (isAscii(text)) return [text.toLowerCase()];
  const short = eachLetter(text, withoutCase);
  const long = withoutAnyCase(text).normalize('NFC');
  return short === long ? [short] : [short, long];
}

/** Gives the same form to characters that a case-insensitive regular expression treats as equal. */
export function withoutAnyCase(text: string): string {
  return isAscii(text) ? text.toLowerCase() : eachLetter(text, withoutLength);
}

/** Folds only spellings that every case-insensitive system treats as equal: letters with exactly one other case. */
export function withoutPlainCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return eachLetter(text, (letter) => {
    const lower = letter.toLowerCase();
    return lower.toUpperCase() === letter ? lower : letter;
  });
}

/** Converts letter by letter, because the lower case of sigma depends on its position in the word. */
function eachLetter(text: string, change: (letter: string) => string): string {
  let changed = '';
  for (const letter of text) changed += change(letter);
  return changed;
}

/** Keeps the number of letters, so that `?` still matches. */
function withoutCase(letter: string): string {
  return ifSingleLetter(ifSingleLetter(letter.toUpperCase(), letter).toLowerCase(), letter);
}

function ifSingleLetter(letter: string, other: string): string {
  return [...letter].length === 1 ? letter : other;
}

/** Some systems equate a letter with the two letters of its other case: `ß` with `SS`. */
function withoutLength(letter: string): string {
  return eachLetter(letter.toLowerCase().toUpperCase(), (upper) => upper.toLowerCase());
}
