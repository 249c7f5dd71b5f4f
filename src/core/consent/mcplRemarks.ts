import { quoted } from '../base/quotedText.ts';
import type { McplGrant } from '../model/mcplGrant.ts';
import type { ServerDefinition } from '../model/server.ts';
import { grantsIn } from './mcplGrants.ts';
import { remarksOnScopes } from './scopeRemarks.ts';

/** What the workspace's settings grant of MCPL, in plain sentences. */
export function remarksOnMcpl({ workspaceGrants }: ServerDefinition): readonly string[] {
  const grants = grantsIn(workspaceGrants);
  const remarks: string[] = [];
  const say = <const K extends McplGrant['kind']>(
    kind: K,
    show: (grant: Extract<McplGrant, { kind: K }>) => string,
    sentence: (shown: string) => string,
  ): void => {
    const shown = new Set(grants.flatMap((grant) => (isOf(grant, kind) ? [show(grant)] : [])));
    if (shown.size > 0) remarks.push(sentence([...shown].join(', ')));
  };
  say(
    'withoutMcpl',
    () => '',
    () => 'It is used without MCPL: feature sets do not switch its tools off, and only "scopes" makes them ask.',
  );
  say(
    'featureSets',
    ({ region }) => quoted(region.pattern),
    (names) => `Its feature sets are on, which may let it read your chats and add to them: ${names}.`,
  );
  say(
    'readUserMessage',
    () => '',
    () => 'It may read what you write in chats.',
  );
  say(
    'position',
    ({ position }) => quoted(position),
    (positions) => `It may add context for models, at the positions: ${positions}.`,
  );
  say(
    'infer',
    ({ pattern }) => quoted(pattern),
    (names) => `Its events go to a model without asking, for the feature sets: ${names}.`,
  );
  say(
    'tool',
    ({ tool, featureSet }) => `${quoted(tool)} (${quoted(featureSet)})`,
    (tools) => `These tools are on with the feature sets in brackets: ${tools}.`,
  );
  say(
    'model',
    ({ model }) => quoted(model),
    (model) => `It uses the model: ${model}.`,
  );
  say(
    'requestsPerHour',
    ({ most }) => String(most),
    (most) => `It may ask a model up to ${most} times an hour.`,
  );
  say(
    'tokensPerDay',
    ({ most }) => String(most),
    (most) => `It may use up to ${most} tokens of models a day.`,
  );
  return [...remarksOnScopes(grants), ...remarks];
}

function isOf<const K extends McplGrant['kind']>(grant: McplGrant, kind: K): grant is Extract<McplGrant, { kind: K }> {
  return grant.kind === kind;
}
