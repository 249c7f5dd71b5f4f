import { type FeatureSetView, rightsOf } from '../../core/index.ts';

/** Feature sets of one server switched in the same direction. */
interface FeatureSetChange {
  readonly server: string;
  readonly names: readonly string[];
  readonly on: boolean;
}

/**
 * Merges checkbox changes into one change per server and direction, because each change writes settings. If a set was
 * changed twice, for example through its parent row, the later change wins. Sets are switched off first.
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
 * The names of shown sets whose declaration is unchanged. A set that changed during a prompt was not what the user
 * agreed to.
 */
export function stillAsShown(shown: readonly FeatureSetView[], now: readonly FeatureSetView[]): readonly string[] {
  const rights = new Map(now.map(({ set }) => [set.name, rightsOf(set)]));
  return shown.filter(({ set }) => rights.get(set.name) === rightsOf(set)).map(({ set }) => set.name);
}
