import { type CompiledLists, compileLists } from '../../../../../src/core/scopes/paths/lists.ts';

export const PLACE = {
  folders: [
    { name: 'ws', path: '/ws' },
    { name: 'other', path: '/data/other' },
  ],
  userHome: '/home/person',
};

interface Given {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly isBroken?: boolean;
  readonly place?: typeof PLACE;
  readonly ignoresCase?: boolean;
}

export const listsOf = ({ allow = [], deny = [], isBroken = false, place = PLACE, ignoresCase = false }: Given) =>
  compileLists({ whitelist: allow, blacklist: deny, isBroken }, place, ignoresCase);

export type Kind = 'path' | 'name';

export const verdict = (lists: CompiledLists, kind: Kind, ...forms: readonly string[]): string =>
  lists.judge({ kind, forms, shadows: [] });

/** One line per form: the verdict of a whitelist and of a blacklist. */
export const matched = (
  pattern: string,
  kind: Kind,
  forms: readonly string[],
  given: Given = {},
): readonly string[] => {
  const allowing = listsOf({ ...given, allow: [pattern] });
  const denying = listsOf({ ...given, deny: [pattern] });
  return forms.map((form) => {
    const allowed = verdict(allowing, kind, form);
    const denied = verdict(denying, kind, form);
    return `${pattern} ${form}: ${allowed === denied ? allowed : `${allowed} ${denied}`}`;
  });
};
