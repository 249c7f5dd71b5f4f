import { isHidden } from './hiddenText.ts';

const OUR_TAGS = ['context', 'event', 'attachment'] as const;
const ATTACHMENT_TAG = ['attachment'] as const;

/** Characters that open a tag, or look as if they did. */
const OPENING = /[<\uFE64\uFF1C\u2039\u2329\u3008\u27E8\u276E\u276C\u02C2\u1438\u16B2\u29FC\u226E\u{1D236}]/gu;
const SLASH = /^[/\\\u2044\u2215\u29F8\u29F5\uFF0F\uFF3C]$/;
const SPACE_OR_MARK = /^[\s\p{M}\p{Cc}\p{Cf}]$/u;
/** The escape for hidden characters in text for models. */
const SHOWN = /\\u\{[\da-f]{1,6}\}/y;
/**
 * Letters of other alphabets that look like letters in the host's tags. Wide and styled letters are found by
 * normalization.
 */
const LOOK_ALIKES: Readonly<Partial<Record<string, string>>> = {
  ...{ а: 'a', с: 'c', е: 'e', һ: 'h', м: 'm', о: 'o', т: 't', х: 'x', п: 'n', ѵ: 'v' },
  ...{ α: 'a', ϲ: 'c', ε: 'e', η: 'n', ο: 'o', τ: 't', ν: 'v', χ: 'x' },
};

/** Server text that can neither close its tag nor claim another origin (MCPL §13.4). */
export function withoutOurTags(text: string): string {
  return withoutTags(text, OUR_TAGS);
}

/** The same for attachments of the user. Code that mentions a context stays unchanged. */
export function withoutAttachmentTags(text: string): string {
  return withoutTags(text, ATTACHMENT_TAG);
}

export function attributeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function withoutTags(text: string, names: readonly string[]): string {
  return text.replace(OPENING, (sign: string, at: number) => (isTag(text, at + sign.length, names) ? '&lt;' : sign));
}

/**
 * Whether the name of one of the host's tags follows, in any spelling: with spaces, slashes or hidden characters
 * anywhere, in capitals or wide letters. Also matches the start of such a name at the end of a text, because the rest
 * may follow. Stops at the next opening character, so that the time is bounded for any text.
 */
function isTag(text: string, from: number, names: readonly string[]): boolean {
  let name = '';
  for (let at = from; at < text.length;) {
    SHOWN.lastIndex = at;
    const shown = SHOWN.exec(text)?.[0];
    const character = shown ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += character.length;
    if (shown !== undefined || isSkipped(character)) continue;
    name += plainLetter(character);
    if (names.includes(name)) return true;
    if (!names.some((each) => each.startsWith(name))) return false;
  }
  return true;
}

function isSkipped(character: string): boolean {
  return SPACE_OR_MARK.test(character) || SLASH.test(character) || isHidden(character);
}

function plainLetter(character: string): string {
  const letter = character.normalize('NFKC').toLowerCase();
  return LOOK_ALIKES[letter] ?? letter;
}
