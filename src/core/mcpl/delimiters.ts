/**
 * A tag of ours, however it is spelt: with spaces, in capitals, with signs that cannot be seen or only look like ours;
 * or the beginning of one at the end of a text, whose other half may follow. One class of characters and no nesting, so
 * that no text takes long.
 */
const tag = (names: string): RegExp =>
  new RegExp(`[<＜﹤‹〈⟨❮˂](?=[\\s/／⁄∕⧸\\p{M}\\p{Cf}\\u115F\\u1160\\u3164\\uFFA0]*(?:${names}|$))`, 'giu');
const OUR_TAG = tag('context|event|attachment');
const ATTACHMENT_TAG = tag('attachment');

/** What a server wrote, so that it cannot end what it stands in nor pretend to be from somebody else (MCPL §13.4). */
export function withoutOurTags(text: string): string {
  return text.replace(OUR_TAG, '&lt;');
}

/** The same for what a person attached: code that speaks of a context stays what it is. */
export function withoutAttachmentTags(text: string): string {
  return text.replace(ATTACHMENT_TAG, '&lt;');
}

export function attributeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
