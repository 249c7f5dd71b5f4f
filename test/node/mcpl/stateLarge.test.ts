import assert from 'node:assert/strict';
import { type Json, type JsonObject, type ResultView, unreadText } from '../../../src/core/index.ts';
import { BOOK, type StateCase, stateCases } from './stateCase.ts';
import { ID, NO_ANSWER, tool } from './mcplCase.ts';

const LONG = 'é'.repeat(300_000);
/** JSON in an unusual format that some languages write. */
const FOREIGN = `{ "text" :\t"${LONG}", "n" : 1.0,\r"n" : 2.50, "list": [ ] }`;
const OWN = JSON.stringify({ text: LONG, n: 2.5, list: [] });

stateCases('that are large', (open) => {
  const opened = (): Promise<StateCase> => open({ server: { answers: { 'tools/call': () => NO_ANSWER } } });

  /** A call whose answer is written by hand, with this as its state. */
  async function answered({ mcpl }: StateCase, nth: number, state: string): Promise<ResultView> {
    const calling = mcpl.host.callTool({ server: ID, tool: 'edit', args: {}, route: 'api' });
    const { id } = await mcpl.life().until('tools/call', nth);
    await mcpl.life().raw(`{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[],"state":${state}}}\n`);
    return calling;
  }

  test('are kept and sent as this host writes them, however they came', async () => {
    const states = await opened();
    await answered(states, 1, `{"checkpoint":"a","parent":null,"data":${FOREIGN}}`);
    assert.deepEqual(await states.tree(), ['a data head']);
    assert.equal(await states.stateAt('a'), OWN);
    const patch = `[ {"op" : "replace", "path": "/text", "value":\r"${LONG}!"} ]`;
    await answered(states, 2, `{"checkpoint":"b","parent":"a","patch":${patch}}`);
    assert.deepEqual(await states.tree(), ['a data', 'b < a patch head']);
    assert.equal(await states.stateAt('b'), OWN.replace(LONG, `${LONG}!`));
    assert.equal((await states.sent())[1], `{"state":${OWN}}`);
  });

  test('are equal in any JSON formatting', async () => {
    const states = await opened();
    await answered(states, 1, `{"checkpoint":"a","parent":null,"data":${FOREIGN}}`);
    await answered(states, 2, `{"checkpoint":"a","parent":null,"data":${OWN}}`);
    assert.deepEqual(await states.tree(), ['a data head']);
  });

  test('are also sent by the server without a call', async () => {
    const states = await opened();
    const { mcpl } = states;
    await mcpl
      .life()
      .raw(
        `{"jsonrpc":"2.0","id":90,"method":"state/update","params":{"featureSet":"${BOOK}","checkpoint":"a","data":${FOREIGN}}}\n`,
      );
    await mcpl.until('the answer', () => mcpl.life().transcript.some((line) => line.includes('"accepted":true')));
    assert.equal(await states.stateAt('a'), OWN);
  });

  test('are in the result on access, and are not parsed before', async () => {
    const states = await opened();
    const { raw, modelText } = await answered(states, 1, `{"checkpoint":"a","parent":null,"data":${FOREIGN}}`);
    const state = raw['state'] as JsonObject;
    assert.equal(modelText, `{"state":{"checkpoint":"a","parent":null,"data":"‹${FOREIGN.length} characters›"}}`);
    assert.equal(unreadText(state, 'data'), FOREIGN);
    assert.ok(Object.getOwnPropertyDescriptor(state, 'data')?.get !== undefined, 'it was not read');
    assert.deepEqual(JSON.parse(JSON.stringify(raw)), {
      content: [],
      state: { checkpoint: 'a', parent: null, data: JSON.parse(OWN) as Json },
    });
  });

  test('are named by their length in a trace', async () => {
    const states = await opened();
    const trace = states.mcpl.host.trace(ID);
    trace.set(true);
    await answered(states, 1, `{"checkpoint":"a","parent":null,"data":${FOREIGN}}`);
    const texts = trace
      .entries(1, 100, { text: 'tools/call', direction: 'received' })
      .map(({ text, isCut }) => `${text} ${isCut}`);
    assert.deepEqual(texts, [
      `{"jsonrpc":"2.0","id":3,"result":{"content":[],"state":{"checkpoint":"a","parent":null,"data":"‹${FOREIGN.length} characters›"}}} false`,
    ]);
  });

  test('that nest too deep are dropped, and the call says so', async () => {
    const states = await opened();
    const deep = `["${LONG}",${'['.repeat(600)}${']'.repeat(600)}]`;
    await assert.rejects(
      answered(states, 1, `{"checkpoint":"a","data":${deep}}`),
      /nests (more than 512 levels|too) deep/,
    );
    assert.deepEqual(await states.tree(), []);
  });

  test('of a server without states are read like everything else', async () => {
    const { mcpl } = await open({
      server: { sets: null, mcpl: null, tools: [tool('edit')], answers: { 'tools/call': () => NO_ANSWER } },
    });
    const calling = mcpl.host.callTool({ server: ID, tool: 'edit', args: {}, route: 'api' });
    const { id } = await mcpl.life().until('tools/call', 1);
    await mcpl.life().raw(`{"jsonrpc":"2.0","id":${String(id)},"result":{"state":{"data":${FOREIGN}}}}\n`);
    const { raw } = await calling;
    assert.equal(unreadText(raw['state'] as JsonObject, 'data'), undefined);
    assert.deepEqual(raw, { state: { data: JSON.parse(OWN) as Json } });
  });
});
