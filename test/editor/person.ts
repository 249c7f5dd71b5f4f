import type { Person, PersonAction } from '../harness/person.ts';

/** The same simulated user as in the journeys, requested from the extension host over the bridge. */
const ask = async (action: PersonAction, ...args: readonly (string | undefined)[]): Promise<unknown> => {
  const bridge = process.env['MCPL_TEST_PERSON'];
  if (bridge === undefined) throw new Error('No person is there to act: run these tests with "npm run test:editor".');
  const body = JSON.stringify({ action, args: args.filter((arg) => arg !== undefined) });
  const response = await fetch(bridge, { method: 'POST', body, signal: AbortSignal.timeout(30_000) });
  const result: unknown = await response.json();
  if (!response.ok) throw new Error(`person.${action}(${args.join(', ')}): ${String(result)}`);
  return result;
};

const does =
  (action: PersonAction) =>
  async (...args: readonly (string | undefined)[]): Promise<void> => {
    await ask(action, ...args);
  };

const reads =
  (action: PersonAction) =>
  async (...args: readonly (string | undefined)[]): Promise<readonly string[]> =>
    (await ask(action, ...args)) as readonly string[];

export const person: Person = {
  click: does('click'),
  type: does('type'),
  press: does('press'),
  texts: reads('texts'),
  waitFor: does('waitFor'),
  watch: does('watch'),
  seen: reads('seen'),
  screenshot: async (name) => String(await ask('screenshot', name)),
  command: does('command'),
  openContainer: does('openContainer'),
  resizeSideBar: does('resizeSideBar'),
  clickTreeItem: does('clickTreeItem'),
  doubleClickTreeItem: does('doubleClickTreeItem'),
  treeRows: reads('treeRows'),
  notification: does('notification'),
  notifications: reads('notifications'),
  cutButtons: reads('cutButtons'),
  dialog: does('dialog'),
  answerInput: does('answerInput'),
  pick: does('pick'),
  webviewClick: does('webviewClick'),
  webviewFill: does('webviewFill'),
  webviewTexts: reads('webviewTexts'),
};
