import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { SchemaVerdict } from '../../../../src/core/inputPorts.ts';
import { annotationTexts, type ResultView } from '../../../../src/core/model/content.ts';
import { tool } from '../../../support/scriptedServer.ts';
import { closeAll, type InputHost, legacy } from '../inputs/inputHost.ts';

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } } };

const notes = (result: ResultView): readonly string[] => annotationTexts(result, 'user');

suite('Structured output', () => {
  teardown(closeAll);

  let judged: string[] = [];

  async function calling(result: JsonObject, verdict: SchemaVerdict, extra: JsonObject = { outputSchema: SCHEMA }) {
    judged = [];
    const host: InputHost = await legacy('2025-06-18', {
      'tools/list': () => ({ tools: [tool('add', extra)] }),
      'tools/call': () => result,
    });
    host.judge = (schema: JsonObject, value: Json) => {
      judged.push(`${JSON.stringify(schema)} ${JSON.stringify(value)}`);
      return verdict;
    };
    return host.t.host.callTool({ server: 'a', tool: 'add', args: {}, route: 'command' });
  }

  const wrong: SchemaVerdict = { kind: 'mismatch', problems: ['/n: not a number'] };

  test('that does not match is passed on whole, with a remark', async () => {
    const result = { content: [{ type: 'text', text: 'one' }], structuredContent: { n: 'one' }, _meta: { a: 1 } };
    const view = await calling(result, wrong);
    assert.deepEqual(judged, [`${JSON.stringify(SCHEMA)} {"n":"one"}`]);
    assert.deepEqual(notes(view), ['Not as the tool had announced: /n: not a number']);
    assert.deepEqual(
      [view.modelText, view.structured, view.isError, view.blocks, view.raw],
      ['one', { n: 'one' }, false, [{ type: 'text', text: 'one' }], result],
    );
  });

  test('that matches, or cannot be checked, has no remark', async () => {
    const result = { content: [], structuredContent: { n: 1 } };
    assert.deepEqual(notes(await calling(result, { kind: 'ok' })), []);
    assert.deepEqual(notes(await calling(result, { kind: 'undecided', why: 'too large' })), []);
  });

  test('that was announced and is missing is remarked, except from a tool that failed', async () => {
    const missing = await calling({ content: [{ type: 'text', text: 'x' }] }, wrong);
    assert.deepEqual(notes(missing), ['The tool gave no structured content, which it had announced.']);
    const failed = await calling({ content: [], structuredContent: { n: 'x' }, isError: true }, wrong);
    assert.deepEqual([notes(failed), judged], [[], []]);
  });

  test('of a tool that announced nothing is not looked at', async () => {
    const view = await calling({ content: [], structuredContent: { n: 'x' } }, wrong, {});
    assert.deepEqual([notes(view), judged], [[], []]);
  });
});
