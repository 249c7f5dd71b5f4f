import { alternativesOf } from './braces.ts';

/**
 * Syntax of scope patterns in settings. They are globs in which `\` is read as `/`, so nothing can be escaped. Brackets
 * make a special character literal, such as `[*]`. The meaning of patterns is defined in `scopes/`.
 */
const MAX_PATTERN = 1_024;
export const MAX_ALTERNATIVES = 256;
/** Maximum total length of all alternatives. */
const MAX_WRITTEN_OUT = 65_536;
/** Each bracket may cost a scan of the rest. */
const MAX_BRACKETS = 64;

const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u;
const VARIABLE = /\$\{([^}]*)(\}?)/g;
const KNOWN_VARIABLE = /^(?:userHome|workspaceFolder(?::.+)?)$/s;

/**
 * Why a text is not a valid scope pattern: a sentence. Patterns are never truncated, which would change their meaning.
 */
export function patternProblem(text: string): string | undefined {
  if (text.trim() === '') return 'Must be a pattern that is not empty, such as "src/**".';
  if (text.length > MAX_PATTERN) return `Must have at most ${MAX_PATTERN} characters.`;
  if (UNSEEN.test(text)) return 'Must have no characters that cannot be seen; "?" stands for any one of them.';
  for (const bracket of ['[', '{'])
    if (text.split(bracket).length - 1 > MAX_BRACKETS) return `Must have at most ${MAX_BRACKETS} "${bracket}".`;
  const alternatives = alternativesOf(text.replaceAll('\\', '/'));
  if (alternatives > MAX_ALTERNATIVES)
    return `Must stand for at most ${MAX_ALTERNATIVES} alternatives; write several patterns instead of so many braces.`;
  if (alternatives * text.length > MAX_WRITTEN_OUT)
    return `Must have at most ${MAX_WRITTEN_OUT} characters with its braces written out; write several patterns.`;
  return variableProblem(text);
}

function variableProblem(text: string): string | undefined {
  for (const [, name = '', end] of text.matchAll(VARIABLE)) {
    if (end === '') return 'Must have a "}" after each "${".';
    if (!KNOWN_VARIABLE.test(name))
      return `Must have no other variables than \${workspaceFolder}, \${workspaceFolder:name} and \${userHome}.`;
  }
  return undefined;
}
