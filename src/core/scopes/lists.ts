import { Minimatch } from 'minimatch';
import { patternProblem } from '../model/scopePattern.ts';
import type { ScopeLists } from '../model/scope.ts';
import type { ComputedTarget, ScopePlace } from './computed.ts';

const OPTIONS = { dot: true, nocomment: true, nonegate: true, noext: true, braceExpandMax: 256 } as const;

export class CompiledLists {
  readonly problems: readonly string[];
  readonly #deniesAll: boolean;
  readonly #allow: readonly Minimatch[];
  readonly #deny: readonly Minimatch[];
  constructor(allow: readonly Minimatch[], deny: readonly Minimatch[], deniesAll: boolean, problems: readonly string[]) {
    this.problems = problems;
    this.#allow = allow;
    this.#deny = deny;
    this.#deniesAll = deniesAll;
  }
  judge({ forms, shadows }: Pick<ComputedTarget, 'kind' | 'forms' | 'shadows'>): 'denied' | 'allowed' | 'unlisted' {
    if (this.#deniesAll) return 'denied';
    if ([...forms, ...shadows].some((form) => matches(this.#deny, form.toLowerCase()))) return 'denied';
    return forms.length > 0 && forms.every((form) => matches(this.#allow, form)) ? 'allowed' : 'unlisted';
  }
}
function matches(patterns: readonly Minimatch[], form: string): boolean {
  return patterns.some((pattern) => pattern.match(form) || pattern.match(`${form}/`));
}
export function compileLists(
  lists: ScopeLists,
  place: Pick<ScopePlace, 'folders' | 'userHome'>,
  _ignoresCase: boolean,
): CompiledLists {
  const expand = (text: string): string[] => {
    const full = text.replaceAll('${workspaceFolder}', place.folders[0]?.path ?? '').replaceAll('${userHome}', place.userHome);
    const isRelative = !/^(\/|\*\*|[A-Za-z]:)/.test(full);
    return isRelative ? [full, ...place.folders.map(({ path }) => `${path}/${full}`)] : [full];
  };
  const bad = lists.blacklist.some((text) => patternProblem(text) !== undefined);
  const allow = lists.whitelist.filter((text) => patternProblem(text) === undefined).flatMap(expand);
  const deny = lists.blacklist.flatMap(expand).flatMap((text) => [text, `${text}/**`]);
  return new CompiledLists(
    allow.map((text) => new Minimatch(text, OPTIONS)),
    deny.map((text) => new Minimatch(text.toLowerCase(), OPTIONS)),
    lists.isBroken || bad,
    [],
  );
}
