import assert from 'node:assert/strict';
import { CasePerson } from '../cases/casePerson.ts';
import { failWith } from './mcplCase.ts';
import { LISTS, type ScopeCase, scopeCases } from './scopeCase.ts';

scopeCases('What changes after the decision', (open) => {
  test('makes an approval void: an encoded label whose link is swapped while the user thinks', async () => {
    const opened = await open({ files: { '../out/link': { to: '/ws/src' }, 'src/x': '', '../out/y': '' } });
    const answer = opened.elevate('file:///out/l%69nk/x');
    await opened.untilAsked(1);
    opened.folders.relink('../out/link', '/etc');
    await opened.answer('once');
    assert.equal(await answer, '{"approved":false,"reason":"Something changed while it was being decided."}');
  });
  test('counts when a call is made again after a page was visited', async () => {
    const person = new CasePerson();
    let calls = 0;
    let opened: ScopeCase | undefined = undefined;
    person.onPage = () => {
      opened?.configure({ scopes: { files: { ...LISTS, blacklist: ['**/a.ts'] } } });
      return 'accept';
    };
    person.onBusy = () => 'continue';
    const elicitations = [{ mode: 'url', elicitationId: 'e1', url: 'https://example.com/x', message: 'Go there.' }];
    opened = await open({
      files: { 'src/a.ts': '' },
      host: person.ports,
      server: {
        version: '2025-11-25',
        answers: {
          'tools/call': () =>
            ++calls === 1
              ? failWith(-32042, 'Visit it.', { elicitations })
              : { content: [{ type: 'text', text: 'Done.' }] },
        },
      },
    });
    assert.match(await opened.call({ path: '/ws/src/a.ts' }), /^SCOPE_DENIED /);
    assert.equal((await opened.sent()).length, 1);
  });
});
