import type { StateUpdate } from '../../../core/index.ts';
import { checkpointName, STATE_BOUNDS } from '../../../core/model/lineage.ts';
import type { Lineage } from './lineageTable.ts';
import type { Materialiser } from './materialiser.ts';
import type { Content, Node } from './nodes.ts';

// What replaying costs, in characters of JSON that are parsed in the same time. Measured on chains of 10,000 checkpoints
// with patches of 200 characters ("npm run bench -- --only states"): any state of 94 KB is made in 1.5 times what parsing
// it takes, one of 10 MB in 1.37 times. Whole states then come every 30 checkpoints at 94 KB, and every 500 at 10 MB.

/** Of one checkpoint, beside its patch. */
const STEP = 1_500;
/** A way from what is written down to a state that costs no more is short, however small the state is. */
const SHORT_WAY = 40_000;
/** And so is what costs no more than this part of the state. */
const SHORT_PART = 0.085;
/** Characters that a patch has the host look at are counted from here on: a short one may copy the whole state ten times. */
const USUAL_EFFORT = 20_000;

export function isFarFromWritten({ stateSize, replay }: Content): boolean {
  return replay > SHORT_WAY + stateSize * SHORT_PART;
}

/**
 * What came as its server wrote it, as this host would write it: the same state is then the same text, and no line break
 * gets into a line that is sent.
 */
export function inOwnWriting(update: StateUpdate): StateUpdate {
  const { body } = update;
  if (body?.isAsItCame !== true) return update;
  return { ...update, body: { kind: body.kind, text: JSON.stringify(JSON.parse(body.text)) } };
}

/** Decides what is kept of what came with a checkpoint, and whether there is a state at it. */
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

/** Whether there is a state at it that nobody here knows. That of one whose server keeps it is not missed. */
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
