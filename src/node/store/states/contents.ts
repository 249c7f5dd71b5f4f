import type { StateUpdate } from '../../../core/index.ts';
import { checkpointName, STATE_BOUNDS } from '../../../core/model/lineage.ts';
import type { Lineage } from './lineageTable.ts';
import type { Materialiser } from './materialiser.ts';
import type { Content, Node } from './nodes.ts';

// Cost of replaying patches, in characters of JSON parsed in the same time. Measured on chains of 10,000 checkpoints
// with patches of 200 characters ("npm run bench -- --only states"): computing a state takes 1.5 times its parse time
// at 94 KB, and 1.37 times at 10 MB. Snapshots are then written every 30 checkpoints at 94 KB, and every 500 at 10 MB.

/** Cost per checkpoint, in addition to its patch. */
const STEP = 1_500;
/** Replays up to this cost need no snapshot, however small the state. */
const SHORT_WAY = 40_000;
/** Replays up to this fraction of the state's size need no snapshot either. */
const SHORT_PART = 0.085;
/** Characters read by a patch count above this number: a short patch may copy the whole state ten times. */
const USUAL_EFFORT = 20_000;

export function isFarFromWritten({ stateSize, replay }: Content): boolean {
  return replay > SHORT_WAY + stateSize * SHORT_PART;
}

/** Reserializes a body from the server. Equal states then have equal text, and no line break gets into a message. */
export function inOwnWriting(update: StateUpdate): StateUpdate {
  const { body } = update;
  if (body?.isAsItCame !== true) return update;
  return { ...update, body: { kind: body.kind, text: JSON.stringify(JSON.parse(body.text)) } };
}

/** Decides what to store for a checkpoint, and whether it has a state. */
export function contentOf(
  { keeper }: Pick<Lineage, 'keeper'>,
  { body }: Pick<StateUpdate, 'body'>,
  parent: Node | undefined,
  states: Materialiser,
): Content {
  if (keeper === 'server') return { form: 'opaque', ...NO_STATE };
  if (body === undefined) return inherited(parent);
  return body.kind === 'data' ? whole(body.text) : patched(body.text, parent, states);
}

const NO_STATE = { stateSize: 0, replay: 0 } as const;

/** MCPL §8.3: without `data` or `patch`, it is the parent's state (docs/decisions/state-contents.md). */
function inherited(parent: Node | undefined): Content {
  if (parent !== undefined && isLost(parent)) return { form: 'same', problem: lost(parent), ...NO_STATE };
  if (parent === undefined || parent.stateSize === 0) return { form: 'same', ...NO_STATE };
  return { form: 'same', stateSize: parent.stateSize, replay: parent.replay + STEP };
}

function whole(text: string): Content {
  if (text.length <= STATE_BOUNDS.state) return { form: 'data', body: text, stateSize: text.length, replay: 0 };
  return { form: 'data', problem: `The state has ${tooMany(text.length, STATE_BOUNDS.state)}`, ...NO_STATE };
}

function patched(patch: string, parent: Node | undefined, states: Materialiser): Content {
  const broken = (problem: string): Content => ({ form: 'patch', problem, body: patch, ...NO_STATE });
  if (patch.length > STATE_BOUNDS.patch)
    return { form: 'patch', problem: `The patch has ${tooMany(patch.length, STATE_BOUNDS.patch)}`, ...NO_STATE };
  if (parent === undefined) return broken('A patch came, but there is no state before it.');
  if (parent.stateSize === 0) return broken(isLost(parent) ? lost(parent) : missing(parent));
  const outcome = states.patch(parent.place, patch);
  if (outcome.kind === 'refused') return broken(`The patch does not fit the state before it. ${outcome.problem}`);
  const replay = parent.replay + patch.length + STEP + Math.max(0, outcome.effort - USUAL_EFFORT);
  return { form: 'patch', body: patch, stateSize: Math.max(1, outcome.size), replay };
}

/** Whether the state is lost. States that the server keeps are not lost. */
export function isLost({ stateSize, form, problem }: Node): boolean {
  return stateSize === 0 && (form === 'placeholder' || problem !== undefined);
}

function lost(parent: Node): string {
  const name = checkpointName(parent);
  if (parent.form === 'placeholder') return `It builds on ${name}, of which nothing but the name is known.`;
  return `It builds on ${name}, whose state could not be made.`;
}

function missing(parent: Node): string {
  return `A patch came, but there is no state at ${checkpointName(parent)}, on which it builds.`;
}

function tooMany(length: number, most: number): string {
  return `${length} characters; at most ${most} are kept.`;
}
