const ASCII = /^[\0-\x7F]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/**
 * What a text is without regard to case, on any file system: two texts that some system takes for one have one of
 * these in common.
 */
export function allCases(text: string): readonly string[] {
  if (isAscii(text)) return [text.toLowerCase()];
  const short = eachLetter(text, withoutCase);
  const long = withoutAnyCase(text).normalize('NFC');
  return short === long ? [short] : [short, long];
}

/** Characters that are equal to an expression that ignores case get the same form. */
export function withoutAnyCase(text: string): string {
  return isAscii(text) ? text.toLowerCase() : eachLetter(text, withoutLength);
}

/** The same only for spellings that every such system takes for one: letters with exactly one other case, and back. */
export function withoutPlainCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return eachLetter(text, (letter) => {
    const lower = letter.toLowerCase();
    return lower.toUpperCase() === letter ? lower : letter;
  });
}

/** Letter by letter: whether a sigma ends a word depends on what a pattern has beside it. */
function eachLetter(text: string, change: (letter: string) => string): string {
  let changed = '';
  for (const letter of text) changed += change(letter);
  return changed;
}

/** One letter stays one, so that `?` stays as right as it was. */
function withoutCase(letter: string): string {
  return ifOne(ifOne(letter.toUpperCase(), letter).toLowerCase(), letter);
}

function ifOne(letter: string, other: string): string {
  return [...letter].length === 1 ? letter : other;
}

/** Some systems take a letter for two that it is in another case: `ß` for `SS`. */
function withoutLength(letter: string): string {
  return eachLetter(letter.toLowerCase().toUpperCase(), (upper) => upper.toLowerCase());
}
