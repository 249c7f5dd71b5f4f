import assert from 'node:assert/strict';
import { NO_CANCELLATION } from '../../../../../src/core/base/cancellation.ts';
import type { JsonObject } from '../../../../../src/core/base/json.ts';
import type { Tool } from '../../../../../src/core/model/catalog.ts';
import type { ComputedScope, ComputedTarget, ScopeContext } from '../../../../../src/core/scopes/paths/computed.ts';
import { targetsOfCall, targetsOfClaim } from '../../../../../src/core/scopes/paths/targets.ts';
import type { FileNames } from '../../../../../src/core/ports.ts';

/** One line: the kind, the real path, the path in the open folders, and all other forms. */
export function renderTarget({ kind, real, inside, forms, shadows }: ComputedTarget): string {
  const others = forms.filter((form) => form !== real);
  return [
    kind === 'name' ? `name ${real}` : real,
    inside === undefined ? '' : ` [${inside.folder}: ${inside.path}]`,
    others.length === 0 ? '' : ` or ${others.join(' or ')}`,
    shadows.length === 0 ? '' : ` never ${shadows.join(' or ')}`,
  ].join('');
}

/** The targets with their origins and real paths, or the refusal, and whether the label disagrees. */
export function renderScope({ targets, refusal, agrees, isWhole }: ComputedScope): readonly string[] {
  if (refusal !== undefined) return [`REFUSED ${refusal}`];
  const lines = targets.map(({ from, kind, real }) => `${from}: ${kind === 'name' ? 'name ' : ''}${real}`);
  return [...lines, ...(agrees ? [] : ['DISAGREES']), ...(isWhole ? [] : ['AND WHATEVER IT WANTS'])];
}

export interface Reader {
  /** A text as a label. */
  text(text: string): Promise<string>;
  claim(label: string, payload: JsonObject | undefined): Promise<readonly string[]>;
  call(inputSchema: JsonObject, args: JsonObject, adapter?: readonly string[]): Promise<readonly string[]>;
}

export function reader(files: FileNames, place: ScopeContext): Reader {
  return {
    text: async (label) => {
      const { targets, refusal } = await targetsOfClaim({ label, payload: undefined }, place, files, NO_CANCELLATION);
      return refusal === undefined ? targets.map(renderTarget).join('; ') : refusal.replace(/^.*? judged\. /, '! ');
    },
    claim: async (label, payload) =>
      renderScope(await targetsOfClaim({ label, payload }, place, files, NO_CANCELLATION)),
    call: async (inputSchema, args, adapter) =>
      renderScope(await targetsOfCall({ tool: toolWith(inputSchema), args, adapter }, place, files, NO_CANCELLATION)),
  };
}

export function toolWith(inputSchema: JsonObject): Tool {
  return {
    name: 'tool',
    title: undefined,
    description: undefined,
    inputSchema,
    outputSchema: undefined,
    icons: [],
    taskSupport: 'forbidden',
    headerParams: [],
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    raw: {},
  };
}

/** Checks a table of texts with their possible meanings. */
export async function assertReadings(read: Reader, table: readonly (readonly [string, string])[]): Promise<void> {
  const found = await Promise.all(table.map(async ([text]) => [text, await read.text(text)] as const));
  assert.deepEqual(found, table);
}
