import { ignoreFailure } from '../base/async.ts';
import type { Bar } from '../model/server.ts';
import { reconcile } from '../session/reconciliation.ts';
import { sameEntry, type SettingsEntry } from '../session/settingsEntry.ts';
import type { ServerUnit } from './serverUnit.ts';

/** Hands an entry to its unit, and returns what to do about it once all entries are known. */
export function takeEntry(
  unit: ServerUnit,
  isKnown: boolean,
  entry: SettingsEntry,
  isTrusted: boolean,
  wasTrusted: boolean,
): () => void {
  const before = isKnown ? unit.definition : undefined;
  const wasFree = wasTrusted && unit.entry.refusal === undefined;
  if (!sameEntry(unit.entry, entry)) unit.configure(entry);
  const bar = barOf(entry, isTrusted);
  return () => {
    const { state } = unit;
    const isFree = bar === undefined;
    const step = reconcile({ before, after: entry.definition, state, trusted: isFree, wasTrusted: wasFree });
    // A failure is the server's state, and shown there.
    if (step === 'start') ignoreFailure(unit.start());
    else if (step === 'restart') ignoreFailure(unit.restart());
    else if (step === 'stop') ignoreFailure(unit.stop(bar ?? 'notStarted'));
    else showBar(unit, bar);
  };
}

function barOf({ refusal }: SettingsEntry, isTrusted: boolean): Bar | undefined {
  if (!isTrusted) return 'restrictedMode';
  return refusal === undefined ? undefined : 'notAllowed';
}

/** Says of a server at rest what keeps it there. */
function showBar(unit: ServerUnit, bar: Bar | undefined): void {
  const { state } = unit;
  if (state.kind !== 'stopped') return;
  const isBarred = state.reason === 'restrictedMode' || state.reason === 'notAllowed';
  if (bar === undefined && isBarred) ignoreFailure(unit.stop('notStarted'));
  else if (bar !== undefined && state.reason !== bar) ignoreFailure(unit.stop(bar));
}
