import { WireError } from '../../../../src/core/base/errors.ts';
import { NO_LOG } from '../../../../src/core/base/log.ts';
import type { FeatureSet, McplDialect, McplSettings, PushPolicy } from '../../../../src/core/model/mcpl.ts';
import type { Participant } from '../../../../src/core/mcpl/participant.ts';
import type { Session } from '../../../../src/core/session/session.ts';

/** A participant with the feature sets "notes" and "builds" enabled, as push events see it. */
export function pushMember(server: string, push: Record<string, PushPolicy> = {}): Participant {
  const settings = { push } as unknown as McplSettings;
  return {
    server,
    settings,
    session: {} as Session,
    dialect: {} as McplDialect,
    log: NO_LOG,
    isInHook: false,
    onDidChangeSets: () => ({ dispose: () => undefined }),
    redact: (text) => text.replaceAll('hunter2', '‹secret›'),
    redactForeign: (text) => text,
    requireEnabled: (featureSet) => {
      if (typeof featureSet !== 'string') throw new WireError(-32602, 'featureSet must be a text.');
      if (featureSet === 'off') throw new WireError(-32001, 'Feature set not enabled');
      if (featureSet !== 'notes' && featureSet !== 'builds') throw new WireError(-32003, 'Unknown feature set');
      return { name: featureSet } as FeatureSet;
    },
    holdEvent: (problem) => Promise.reject(problem),
    isOn: () => true,
    setsFor: () => [],
    enterHook: () => ({ dispose: () => undefined }),
  };
}
