import assert from 'node:assert/strict';
import {
  answersTo,
  approvalPage,
  approvalsJson,
  approvalSummary,
  grantPage,
} from '../../../../src/editor/approvals/approvalPage.ts';
import { decision, grant, name, ONE_FOLDER, path, subject, waits } from './scopeApprovals.ts';

const ANSWERS = `This is policy, not a sandbox: the server's process can touch anything that you can.
Your answer decides only what MCP Live answers or sends.

Your answers
  Allow Once
    Allows only the waiting requests. You are asked about the next one.
  Session: Allow for This Session
    Also allows identical requests until this window closes.
  Always: Always Allow in This Workspace
    Also allows identical requests in this workspace for 90 days, or until you revoke it.
  Deny
    Denies the waiting requests. You are asked about the next one.

An identical request comes from the same program, with the same targets and the same data.
`;

const TIMES_AND_ANSWERS = `Asked at 16:04:21
Expires at 16:05:21 (then denied)

Session: Also allows identical requests until this window closes.
Always: Also allows identical requests in this workspace for 90 days, or until you revoke it.
Select the row to see all details.`;

suite('The details of a request', () => {
  test('are all that is known of it, the words of the server indented', () => {
    const approval = waits(
      '1',
      [
        path('/ws/app/src/a.ts', { from: 'label', written: 'src/a.ts' }),
        path('/etc/passwd', { written: 'link/passwd' }),
      ],
      { label: 'src/a.ts', payload: '{\n  "path": "link/passwd"\n}', why: 'disagreement', waiting: 2 },
    );
    assert.equal(
      approvalPage(approval, ONE_FOLDER, undefined),
      `files (files.edit) wants to append to /etc/passwd and src/a.ts, 1 of 2 outside this workspace.
Server       files
Feature set  files.edit
Action       scope/elevate; it says that it will append
Why asked    Its label names something else.
Asked        2026-11-18 16:04:21
Expires      at 16:05:21 (then denied)
Waiting      2 identical requests; your answer is for all of them

Targets
  src/a.ts
    Leads to   /ws/app/src/a.ts
    That is    inside the folder app
    Written    "src/a.ts"
    Found in   what the server calls it
  /etc/passwd
    Leads to   /etc/passwd
    That is    outside this workspace
    Written    "link/passwd"
    Found in   /payload/path

What the server calls it
  src/a.ts

What the server sent with it
  {
    "path": "link/passwd"
  }

${ANSWERS}`,
    );
  });

  test('of a tool call are its arguments, and how it ended is there when it has', () => {
    const approval = waits('1', [], {
      action: { kind: 'call', tool: 'run_all' },
      payload: '{}',
      why: 'noTarget',
      featureSet: undefined,
    });
    assert.equal(
      approvalPage(approval, ONE_FOLDER, { kind: 'denied', why: 'timeout' }),
      `files wants to call run_all.
Server       files
Action       a call of its tool run_all
Why asked    MCP Live could not find out what it touches.
Asked        2026-11-18 16:04:21
Ended        denied, because there was no answer in time

Targets
  (MCP Live could not find out what it touches.)

The arguments
  {}

${ANSWERS.replace(/An identical request.*/, 'An identical request calls the same tool of the same program with the same arguments.')}`,
    );
    const known = waits('1', [path('/etc/hosts')], { action: { kind: 'call', tool: 'write' }, payload: '{}' });
    assert.match(
      approvalPage(known, ONE_FOLDER, undefined),
      /^An identical request calls the same tool of the same program with the same targets, even if other arguments differ\.$/m,
    );
  });

  test('leave a server no line that could pass for one of the host', () => {
    const label = 'x\nEnded        allowed once';
    const text = approvalPage(
      waits('1', [name('a\nTargets')], { label, payload: label, server: 'a\nServer b' }),
      ONE_FOLDER,
      undefined,
    );
    assert.doesNotMatch(text, /^Ended/m);
    assert.equal(text.match(/^Targets/gm)?.length, 1);
    assert.equal(text.match(/^Server/gm)?.length, 1);
  });

  test('are summed up above the row', () => {
    assert.equal(
      approvalSummary(waits('1', [path('/etc/hosts')], { label: '/etc/hosts', waiting: 2 }), ONE_FOLDER),
      `files (files.edit) wants to append to /etc/hosts, outside this workspace.

No rule in your settings covers this file.
The server calls it "/etc/hosts".
2 identical requests wait for your answer.
${TIMES_AND_ANSWERS}`,
    );
  });

  test('are summed up without saying anything twice', () => {
    const summary = (rest: Parameters<typeof waits>[2]): string =>
      approvalSummary(waits('1', [path('/ws/app/src/a.ts')], rest), ONE_FOLDER);
    assert.equal(
      summary({}),
      `files (files.edit) wants to append to src/a.ts.

No rule in your settings covers this file.
${TIMES_AND_ANSWERS}`,
    );
    assert.equal(
      summary({ label: 'b.ts', why: 'disagreement' }),
      `files (files.edit) wants to append to src/a.ts.

It calls it "b.ts", which names something else.
${TIMES_AND_ANSWERS}`,
    );
  });

  test('say the day on which a request expires if it is not the day of the request', () => {
    const beforeMidnight = new Date(2026, 10, 18, 23, 59, 30).getTime();
    const approval = waits('1', [path('/x')], { askedAt: beforeMidnight, expiresAt: beforeMidnight + 60_000 });
    assert.match(approvalSummary(approval, ONE_FOLDER), /^Expires at 2026-11-19 00:00:30 \(then denied\)$/m);
  });
});

suite('The details of what is remembered', () => {
  test('say what it allows, for how long, and that it is no sandbox', () => {
    assert.equal(
      grantPage(grant('1', ['/etc/hosts'], { label: 'The hosts' }), ONE_FOLDER, 'until 2027-02-16'),
      `MCP Live remembers that you allowed this: /etc/hosts
Server       files
Feature set  files.edit
Action       scope/elevate
Allowed      2026-11-18 16:04:21, by you
Holds        in this workspace, until 2027-02-16
Program      f1
Data         h1

Targets
  /etc/hosts

What the server called it
  The hosts

This is policy, not a sandbox: the server's process can touch anything that you can.
Your answer decides only what MCP Live answers or sends.

An identical request comes from the same program, with the same targets and the same data.
You are asked about anything else. Deny lists in the settings still apply.
To revoke it, use Revoke in the Approvals view.
`,
    );
  });
});

suite('The answers', () => {
  test('are four, and begin with no where a name deceives', () => {
    const titles = (why: 'unlisted' | 'noTarget' | 'disagreement'): string =>
      answersTo(subject([], { why }))
        .map(({ title }) => title)
        .join(' · ');
    const usual = 'Allow Once · Session · Always';
    assert.equal(titles('unlisted'), `${usual} · Deny`);
    assert.equal(titles('noTarget'), `${usual} · Deny`);
    assert.equal(titles('disagreement'), `Deny · ${usual}`);
  });
});

suite('An export of approvals', () => {
  test('has what is remembered and what was decided, with times that machines read', () => {
    const at = Date.UTC(2026, 10, 18, 16);
    const remembered = [grant('g', ['/x'], { at, until: undefined })];
    const value: unknown = JSON.parse(approvalsJson(remembered, [decision(4, 'x', { at })], at));
    assert.deepEqual(value, {
      exportedAt: '2026-11-18T16:00:00.000Z',
      remembered: [
        {
          id: 'g',
          direction: 'toServer',
          kind: 'scope',
          server: 'files',
          fingerprint: 'f1',
          featureSet: 'files.edit',
          key: 'key of g',
          action: 'scope/elevate',
          targets: ['/x'],
          payloadHash: 'h1',
          lifetime: 'workspace',
          by: 'person',
          at: '2026-11-18T16:00:00.000Z',
          until: null,
        },
      ],
      history: [
        {
          place: 4,
          time: '2026-11-18T16:00:00.000Z',
          server: 'files',
          operation: 'scope/decision',
          featureSet: 'files.edit',
          outcome: 'success',
          durationMs: 3,
          detail: 'x',
        },
      ],
    });
  });
});
