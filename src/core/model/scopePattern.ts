import { alternativesOf } from './braces.ts';

/**
 * Patterns of scopes, as settings write them: globs in which `\` is read as `/`, so that nothing escapes; a sign that
 * means something is meant itself in brackets, such as `[*]`. Here is what they may be; what they mean is in `scopes/`.
 */
export const LONGEST_PATTERN = 1_024;
export const MOST_ALTERNATIVES = 256;
/** With all alternatives written out. */
const LONGEST_WRITTEN_OUT = 65_536;
/** Each may cost a look at the whole rest. */
const MOST_BRACKETS = 64;

const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u;
const VARIABLE = /\$\{([^}]*)(\}?)/g;
const KNOWN_VARIABLE = /^(?:userHome|workspaceFolder(?::.+)?)$/s;

/** Why a text is not a valid pattern of a scope: a sentence. Patterns are never cut, which would change their meaning. */
export function patternProblem(text: string): string | undefined {
  if (text.trim() === '') return 'Must be a pattern that is not empty, such as "src/**".';
  if (text.length > LONGEST_PATTERN) return `Must have at most ${LONGEST_PATTERN} characters.`;
  if (UNSEEN.test(text)) return 'Must have no characters that cannot be seen; "?" stands for any one of them.';
  for (const bracket of ['[', '{'])
    if (text.split(bracket).length - 1 > MOST_BRACKETS) return `Must have at most ${MOST_BRACKETS} "${bracket}".`;
  const alternatives = alternativesOf(text.replaceAll('\\', '/'));
  if (alternatives > MOST_ALTERNATIVES)
    return `Must stand for at most ${MOST_ALTERNATIVES} alternatives; write several patterns instead of so many braces.`;
  if (alternatives * text.length > LONGEST_WRITTEN_OUT)
    return `Must have at most ${LONGEST_WRITTEN_OUT} characters with its braces written out; write several patterns.`;
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
