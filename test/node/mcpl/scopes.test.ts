import assert from 'node:assert/strict';
import { scopeCases } from './scopeCase.ts';

scopeCases('the lists', (open) => {
  test('try', async () => {
    const opened = await open({ files: { 'src/a.ts': '', 'secrets/k': '', '.env': '', '.cfg/secrets/k': '', 'x/y': '', link: {to: '/etc'} } });
    const out: string[] = [];
    for (const label of ['/ws/src/a.ts', '/ws/.env', '/ws/link/hosts', '/ws/secrets/k', '/ws/./secrets/k']) {
      const a = opened.elevate(label);
      if (label.includes('link')) { await opened.untilAsked(1); await opened.answer('session'); }
      out.push(`${label} ${await a}`);
    }
    console.log(out, opened.asked, opened.settled, await opened.decisions(), opened.remembered());
    console.log(await opened.call({ path: '/ws/src/a.ts', text: '/etc/x' }), await opened.call({ path: '/ws/.env' }), await opened.sent());
  });
});
