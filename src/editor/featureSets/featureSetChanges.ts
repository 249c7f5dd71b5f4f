import type { FeatureSetView } from '../../core/index.ts';

/** Feature sets of one server that a person switched the same way. */
export interface FeatureSetChange {
  readonly server: string;
  readonly names: readonly string[];
  readonly on: boolean;
}

/**
 * What many checkboxes say together, one change for each server and direction: each change is a write of the settings.
 * Where a set was changed twice, as by its own box and that of the row above, the later one counts. What is switched
 * off comes first.
 */
export function joinedChanges(changes: readonly FeatureSetChange[]): readonly FeatureSetChange[] {
  const servers = new Map<string, Map<string, boolean>>();
  for (const { server, names, on } of changes) {
    const known = servers.get(server) ?? new Map<string, boolean>();
    for (const name of names) known.set(name, on);
    servers.set(server, known);
  }
  return [...servers].flatMap(([server, known]) =>
    [false, true].flatMap((on) => {
      const names = [...known].filter(([, to]) => to === on).map(([name]) => name);
      return names.length === 0 ? [] : [{ server, names, on }];
    }),
  );
}

/**
 * Of sets that a person saw, the names of those that are still declared so. What a server declares otherwise while a
 * question is open was not what the person said yes to.
 */
export function stillAsShown(shown: readonly FeatureSetView[], now: readonly FeatureSetView[]): readonly string[] {
  const forms = new Map(now.map(({ set }) => [set.name, formOf(set)]));
  return shown.filter(({ set }) => forms.get(set.name) === formOf(set)).map(({ set }) => set.name);
}

function formOf({ uses, scoped, rollback, hostState }: FeatureSetView['set']): string {
  return JSON.stringify([uses, scoped, rollback, hostState]);
}
