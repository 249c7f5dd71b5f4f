import assert from 'node:assert/strict';
import { codecFor, dialectCodec } from '../../../../src/core/wire/codec.ts';
import { invokeDialect } from '../../../../src/core/wire/mcp/invokeDialect.ts';
import { isMethodOfMcp, METHODS, REVISIONS } from '../../../../src/core/wire/mcpRevisions.ts';
import { firstRevision, revision } from '../../../../src/core/wire/revision.ts';

/** From MCP's schemas of each revision and the tasks extension. Changes only when a revision is added. */
const TABLE = `
2024-11-05..2026-07-28 toServer request      initialize
2024-11-05..2026-07-28 both     request      ping
2024-11-05..           toServer request      completion/complete
2024-11-05..2026-07-28 toServer request      logging/setLevel
2024-11-05..           toServer request      prompts/get
2024-11-05..           toServer request      prompts/list
2024-11-05..           toServer request      resources/list
2024-11-05..           toServer request      resources/read
2024-11-05..2026-07-28 toServer request      resources/subscribe
2024-11-05..           toServer request      resources/templates/list
2024-11-05..2026-07-28 toServer request      resources/unsubscribe
2024-11-05..           toServer request      tools/call
2024-11-05..           toServer request      tools/list
2024-11-05..2026-07-28 toClient request      roots/list
2024-11-05..2026-07-28 toClient request      sampling/createMessage
2024-11-05..2026-07-28 toServer notification notifications/initialized
2024-11-05..2026-07-28 toServer notification notifications/roots/list_changed
2024-11-05..           both     notification notifications/cancelled
2024-11-05..2026-07-28 both     notification notifications/progress
2024-11-05..           toClient notification notifications/message
2024-11-05..           toClient notification notifications/prompts/list_changed
2024-11-05..           toClient notification notifications/resources/list_changed
2024-11-05..           toClient notification notifications/resources/updated
2024-11-05..           toClient notification notifications/tools/list_changed
2025-06-18..2026-07-28 toClient request      elicitation/create
2025-11-25..2026-07-28 both     request      tasks/cancel
2025-11-25..2026-07-28 both     request      tasks/get
2025-11-25..2026-07-28 both     request      tasks/list
2025-11-25..2026-07-28 both     request      tasks/result
2025-11-25..2026-07-28 toClient notification notifications/elicitation/complete
2025-11-25..2026-07-28 both     notification notifications/tasks/status
2026-07-28..           toClient input        roots/list
2026-07-28..           toClient input        sampling/createMessage
2026-07-28..           toClient notification notifications/progress
2026-07-28..           toClient input        elicitation/create
2026-07-28..           toServer request      tasks/cancel of io.modelcontextprotocol/tasks
2026-07-28..           toServer request      tasks/get of io.modelcontextprotocol/tasks
2026-07-28..           toServer request      server/discover
2026-07-28..           toServer request      subscriptions/listen
2026-07-28..           toClient notification notifications/subscriptions/acknowledged
2026-07-28..           toServer request      tasks/update of io.modelcontextprotocol/tasks
2026-07-28..           toClient notification notifications/tasks of io.modelcontextprotocol/tasks
`;

const TRAITS = `
batching              false       true        false       false       false
audio                 false       true        true        true        true
structuredContent     none        none        object      object      any
protocolHeader        false       false       true        true        true
elicitation           none        none        form        form+url    form+url
elicitationIds        false       false       false       true        false
tasks                 none        none        none        core        extension
stateless             false       false       false       false       true
resultType            false       false       false       false       true
completionsCapability false       true        true        true        true
completionContext     false       false       true        true        true
samplingTools         false       false       false       true        true
subscriptions         perResource perResource perResource perResource listen
logLevel              setLevel    setLevel    setLevel    setLevel    perRequest
`;

suite('The methods of MCP', () => {
  test('are those of its schemas, each from the revision that brings it to the one that takes it away', () => {
    const lines = METHODS.map(({ method, direction, kind, introducedIn, removedIn, extension }) => {
      const span = `${introducedIn}..${removedIn ?? ''}`.padEnd(22);
      const from = extension === undefined ? '' : ` of ${extension}`;
      return `${span} ${direction.padEnd(8)} ${kind.padEnd(12)} ${method}${from}`;
    });
    assert.equal(`\n${lines.join('\n')}\n`, TABLE);
  });

  test('and their revisions differ in these traits', () => {
    const rows = Object.keys(REVISIONS[0]?.traits ?? {}).map((trait) => {
      const values = REVISIONS.map(({ traits }) => String(new Map(Object.entries(traits)).get(trait)).padEnd(11));
      return `${trait.padEnd(21)} ${values.join(' ')}`.trimEnd();
    });
    assert.equal(`\n${rows.join('\n')}\n`, TRAITS);
  });

  test('of the short dialect are few, by their standard names', () => {
    assert.deepEqual([...invokeDialect.methods.keys()].sort(), [
      'initialize',
      'notifications/cancelled',
      'notifications/initialized',
      'notifications/progress',
      'notifications/resources/list_changed',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
      'ping',
      'resources/list',
      'tools/call',
      'tools/list',
    ]);
    assert.equal(dialectCodec.knows('resources/read', 'toServer'), false);
    assert.equal(dialectCodec.lacks('resources/read', 'toServer'), true);
  });

  test('are distinguished from those of extensions, which belong to features', () => {
    assert.deepEqual(['push/event', 'constructor', 'tools/call'].map(isMethodOfMcp), [false, false, true]);
  });

  test('a delta that removes what is not there does not load', () => {
    const base = firstRevision({ version: '1', adds: {}, traits: codecFor('2024-11-05')?.traits ?? assert.fail() });
    assert.throws(() => revision(base, { version: '2', removes: ['x'] }), /2 removes x, which 1 has not/);
  });
});
