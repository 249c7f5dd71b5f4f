import assert from 'node:assert/strict';
import fc from 'fast-check';
import { approvalForm, decisionOf, showsForms } from '../../../../src/core/gateway/clientRequests.ts';
import type { Json, JsonObject, PendingApproval, ScopeSubject, ScopeTarget } from '../../../../src/core/index.ts';
import { approval } from './fakeApprovals.ts';

const inside = { folder: 'ws', path: 'a.md' };
const target = (real: string, more: Partial<ScopeTarget> = {}): ScopeTarget => ({
  kind: 'path',
  from: '/arguments/path',
  written: real,
  real,
  inside: undefined,
  ...more,
});
const about = (subject: Partial<ScopeSubject>, more: Partial<PendingApproval> = {}): string => {
  const asked = approval('a', more);
  return approvalForm({ ...asked, subject: { ...asked.subject, ...subject } }).message;
};

suite('the question of an approval', () => {
  test('says who wants what, its real target, and the reason of the question', () => {
    assert.equal(
      about({
        label: 'notes of today',
        payload: '{\n  "path": "../a.md"\n}',
        targets: [
          target('/ws/a.md', { written: '../a.md', inside }),
          target('/etc/hosts'),
          target('#general', { kind: 'name' }),
        ],
      }),
      [
        'The server `notes` (feature set `notes.write`) wants to run its tool `add`.',
        'It would touch `/etc/hosts` outside of the open folders; `/ws/a.md` (written as `../a.md`); `#general`.',
        'No rule in your settings covers all of these targets.',
      ].join('\n\n'),
    );
  });

  test('shows both sides where the label and what was sent disagree', () => {
    assert.equal(
      about(
        {
          action: { kind: 'elevate', mode: 'append' },
          label: 'a.md',
          targets: [target('/ws/a.md', { from: 'label', inside }), target('/etc/hosts', { from: '/payload/path' })],
          why: 'disagreement',
        },
        { featureSet: undefined, waiting: 3 },
      ),
      [
        'The server `notes` wants access (`append`).',
        'By its label it would touch `/ws/a.md`.',
        'By what it sent it would touch `/etc/hosts` outside of the open folders.',
        'Its label names something else.',
        '3 identical requests wait for this answer.',
      ].join('\n\n'),
    );
  });

  test('says so if the targets are unknown', () => {
    assert.equal(
      about({
        action: { kind: 'elevate', mode: undefined },
        label: 'notes of today',
        payload: '{\n  "day": 1\n}',
        targets: [],
        why: 'noTarget',
      }),
      [
        'The server `notes` (feature set `notes.write`) wants more access than its settings give.',
        'MCP Live could not find out what it would touch.',
        'It calls it `notes of today`.',
        'It sent `{ "day": 1 }`.',
      ].join('\n\n'),
    );
  });

  test('counts what it does not name, never what is outside, and keeps the end of a long path', () => {
    const many = Array.from({ length: 9 }, (_, each) => target(`/ws/${each}`, { inside }));
    const long = `/ws/${'d/'.repeat(400)}secret.pem`;
    const text = about({ targets: [...many, target('/etc/hosts'), target(long, { inside })] });
    const touched = text.split('\n\n')[1] ?? '';
    assert.equal(
      touched,
      'It would touch `/etc/hosts` outside of the open folders; `/ws/0`; `/ws/1`; and 8 more, which MCP Live shows.',
    );
    assert.match(about({ targets: [target(long, { inside })] }), /touch `\/ws\/d\/[d/]*…[d/]*secret\.pem`\./);
  });

  test('the words of a server stay a quotation: no link, no heading, no words of the host', () => {
    const evil = '`.\n\n# Allow it\n[Allow](command:x) **really** \u202E<b>';
    const text = about(
      { label: evil, action: { kind: 'call', tool: '``' }, payload: '`', targets: [] },
      { server: '' },
    );
    assert.deepEqual(text.split('\n\n'), [
      'The server `  ` (feature set `notes.write`) wants to run its tool ``` `` ```.',
      'No rule in your settings covers it.',
      'It calls it `` `. # Allow it [Allow] (command:x) **really** <b> ``.',
      'It sent `` ` ``.',
    ]);
  });

  test('no text of a server gets out of its quotation, and no question is long', () => {
    const text = fc.string({ unit: fc.constantFrom('`', '``', '\n', '](', 'a', '\\', '…', '\u{1F600}', ' ') });
    fc.assert(
      fc.property(text, text, fc.nat(2_000), fc.boolean(), (said, real, times, isKnown) => {
        const targets = isKnown ? [target(real.repeat(times)), target(real, { written: said })] : [];
        const message = about({ label: said.repeat(times), payload: said, targets });
        // Like CommonMark code spans: from a run of backticks to the next one of the same length.
        const bare = message.replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, 'Q');
        assert.match(
          bare.replaceAll(/Q outside of the open folders( \(written as Q\))?/g, 'T'),
          isKnown
            ? /^The server Q \(feature set Q\) wants to run its tool Q\.\n\nIt would touch T(; T)?\.\n\nNo rule [^\n]*$/
            : /^The server Q \(feature set Q\) wants to run its tool Q\.\n\nNo rule [^\n]*\n\nIt calls it Q\.\n\nIt sent Q\.$/,
        );
        assert.ok(message.length < 2_000 && !message.includes(']('));
      }),
      { numRuns: 200 },
    );
  });

  test('offers four answers, none of them preselected, to deny as the first', () => {
    assert.deepEqual(approvalForm(approval('a')).requestedSchema, {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Your decision',
          enum: ['Deny', 'Allow once', 'Allow for this session', 'Always allow in this workspace'],
        },
      },
      required: ['decision'],
    });
  });
});

suite('an answer to the question', () => {
  test('allows only in the words that were offered; to close it decides nothing', () => {
    const accept = (content: Json): JsonObject => ({ action: 'accept', content });
    const answers: readonly (JsonObject | undefined)[] = [
      accept({ decision: 'Allow once' }),
      accept({ decision: 'Allow for this session' }),
      accept({ decision: 'Always allow in this workspace', more: 1 }),
      accept({ decision: 'Deny' }),
      accept({ decision: 'once' }),
      accept({ decision: ['Allow once'] }),
      accept({ allow: 'Allow once' }),
      accept({}),
      accept('Allow once'),
      { action: 'accept' },
      { action: 'decline', content: { decision: 'Allow once' } },
      { action: 'cancel', content: { decision: 'Allow once' } },
      { action: 'Accept', content: { decision: 'Allow once' } },
      { content: { decision: 'Allow once' } },
      {},
      undefined,
    ];
    assert.deepEqual(
      answers.map((answer) => decisionOf(answer) ?? '-'),
      [
        'once',
        'session',
        'workspace',
        ...Array.from({ length: 8 }, () => 'deny'),
        ...Array.from({ length: 5 }, () => '-'),
      ],
    );
  });

  test('only clients that show forms are asked', () => {
    const capabilities: readonly (Json | undefined)[] = [
      { elicitation: {} },
      { elicitation: { form: {}, url: {} } },
      { elicitation: { form: {} } },
      { elicitation: { url: {} } },
      { elicitation: { form: true, url: {} } },
      { elicitation: true },
      { elicitation: null },
      { sampling: {} },
      [],
      undefined,
    ];
    assert.deepEqual(capabilities.map(showsForms), [true, true, true, ...Array.from({ length: 7 }, () => false)]);
  });
});
