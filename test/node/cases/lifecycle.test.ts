import { CASE_TIMEOUT, type Case, openCase } from './caseHost.ts';

suite('Case: how a session begins and ends', function () {
  this.timeout(CASE_TIMEOUT);
  let opened: Case;
  teardown(() => opened.close());

  test('smoke', async () => {
    opened = await openCase();
    console.log(opened.life.transcript.join('\n'), opened.log);
  });
});
