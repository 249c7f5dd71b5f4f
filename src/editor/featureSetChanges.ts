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
