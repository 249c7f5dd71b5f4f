import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const file = fileURLToPath(new URL('../../../../media/mcp-live.d.ts', import.meta.url));
const text = readFileSync(file, 'utf8');

/** The compiler's errors without any other types. */
function problems(): readonly string[] {
  const options = { strict: true, noEmit: true, types: [], lib: ['lib.es2022.d.ts'], target: ts.ScriptTarget.ES2022 };
  const program = ts.createProgram([file], options);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

suite('The types for other extensions', () => {
  test('need nothing else, neither of this project nor of a package', () => {
    assert.doesNotMatch(text, /\bimport\b|\brequire\b|\/\/\/ *</);
    assert.deepEqual(problems(), []);
  }).timeout(60_000);

  test('are these: to take one away is another version of the API', () => {
    const names = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
    assert.deepEqual(names.sort(), [
      'CancellationToken',
      'CheckpointInfo',
      'ContributedServer',
      'Disposable',
      'Event',
      'EventInfo',
      'Events',
      'Json',
      'LineageInfo',
      'Lineages',
      'McpLiveApi1',
      'McpLiveError',
      'McpLiveExports',
      'ModelMessage',
      'ModelOptions',
      'ModelPart',
      'ModelRunner',
      'ServerInfo',
      'ServerProvider',
      'ToolInfo',
      'ToolResult',
    ]);
  });

  test('are all described in the documentation', () => {
    const docs = readFileSync(new URL('../../../../docs/api.md', import.meta.url), 'utf8');
    const members = [
      'registerServers',
      'onDidChangeServers',
      'servers()',
      'callTool',
      'onDidReceiveEvent',
      'events.list()',
    ];
    const others = [
      'lineages.list()',
      'lineages.checkpoints',
      'onDidChangeLineages',
      'registerModelRunner',
      'getApi(1)',
    ];
    for (const member of [...members, ...others]) assert.ok(docs.includes(member), member);
  });
});
