import assert from 'node:assert/strict';
import { resultView } from '../../src/cli/control/controlViews.ts';
import { AnnotatedResult } from '../../src/core/calls/annotatedResult.ts';
import { wellFormedResult } from '../../src/core/gateway/wellFormed.ts';
import { decodeResult, type ResultAnnotation, type ResultView } from '../../src/core/model/content.ts';
import { resultOf } from '../../src/editor/api/apiViews.ts';
import { resultRun } from '../../src/editor/tools/toolView.ts';

const plain = decodeResult({ content: [{ type: 'text', text: 'It rains.' }] });
const withNote = (kind: string): ResultView =>
  new AnnotatedResult(plain, [{ source: 'host', kind, text: 'Read in a cache.' } as ResultAnnotation]);

/** How each reader shows a result. The chat and the terminal have their own tests. */
function drawn(result: ResultView): readonly string[] {
  const run = resultRun(1, result);
  const notes = run.kind === 'done' ? run.blocks.flatMap(({ note }) => note || []) : [];
  return [
    `form ${notes.join()}`,
    `control ${String(resultView(result)['remarks'])}`,
    `gateway ${JSON.stringify(wellFormedResult(result))}`,
    `api ${JSON.stringify(resultOf(result, (text) => text))}`,
  ];
}

suite('Notes on results', () => {
  const content = '"content":[{"type":"text","text":"It rains."}';
  const plainly = [`gateway {${content}]}`, `api {"isError":false,"text":"It rains.",${content}]}`];

  test('reach every reader', () => {
    const noted = `${content},{"type":"text","text":"[Read in a cache.]"}]}`;
    assert.deepEqual(drawn(withNote('provenance')), [
      'form Read in a cache.',
      'control Read in a cache.',
      `gateway {${noted}`,
      `api {"isError":false,"text":"It rains.\\n[Read in a cache.]",${noted}`,
    ]);
    assert.deepEqual(drawn(plain), ['form ', 'control undefined', ...plainly]);
  });

  test('about the output schema and the state are not for programs that use the host', () => {
    for (const kind of ['outputSchema', 'state'])
      assert.deepEqual(drawn(withNote(kind)).slice(0, 2), ['form Read in a cache.', 'control Read in a cache.']);
    assert.deepEqual(drawn(withNote('outputSchema')).slice(2), plainly);
  });

  test('stay in the order in which they were added', () => {
    const second = { source: 'host', kind: 'outputSchema', text: 'Too long.' } as const;
    const twice = new AnnotatedResult(withNote('outputSchema'), [second]);
    assert.equal(drawn(twice)[0], 'form Read in a cache.,Too long.');
  });
});
