import assert from 'node:assert/strict';
import { MCPL_REVISIONS } from '../../../../../src/core/wire/mcpl/revisions.ts';

const TRAITS = `
emptyObjectAnnounces  true             true             true             false
afterInference        true             true             true             false
policy                notification     notification     notification     request
scopes                handshake        handshake+update handshake+update none
blocks                0.2              mcp              mcp              mcp
toolsUse              false            true             true             true
separateInferenceUses false            false            false            true
closedUses            -                -                -                17 uses
undeclaredUse         notEnabled       notEnabled       notEnabled       capabilityDenied
stateByResponse       false            false            true             true
`;

suite('Versions of MCPL', () => {
  test('differ in these traits', () => {
    const text = (value: unknown): string => (value instanceof Set ? `${value.size} uses` : String(value ?? '-'));
    const rows = Object.keys(MCPL_REVISIONS[0]?.traits ?? {}).map((trait) => {
      const values = MCPL_REVISIONS.map(({ traits }) => text(new Map(Object.entries(traits)).get(trait)).padEnd(16));
      return `${trait.padEnd(21)} ${values.join(' ')}`.trimEnd();
    });
    assert.equal(`\n${rows.join('\n')}\n`, TRAITS);
  });

  test('are in the order of their numbers, each once', () => {
    const numbers = MCPL_REVISIONS.map(({ version }) => Number(version.split('.')[1]));
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    );
  });
});
