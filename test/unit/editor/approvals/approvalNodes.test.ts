import assert from 'node:assert/strict';
import {
  type ApprovalNode,
  type ApprovalState,
  approvalTree,
  endText,
} from '../../../../src/editor/approvals/approvalNodes.ts';
import { ASKED, decision, grant, ONE_FOLDER, path, waits } from './scopeApprovals.ts';

const MINUTE = 60_000;
const NOW = ASKED + MINUTE;

const STATE: ApprovalState = { pending: [], remembered: [], history: [], shown: 50 };

function tree(state: Partial<ApprovalState>): readonly ApprovalNode[] {
  return approvalTree({ ...STATE, ...state }, ONE_FOLDER, NOW);
}

function render(nodes: readonly ApprovalNode[], indent = ''): string {
  return nodes
    .flatMap(({ expansion, label, description, icon, context, children }) => {
      const mark = { none: '', collapsed: '> ', expanded: 'v ' }[expansion];
      const line = `${indent}${mark}${label}${description === '' ? '' : ` (${description})`} <${icon.name}> #${context}`;
      return children.length === 0 ? [line] : [line, render(children, `${indent}  `)];
    })
    .join('\n');
}

const FULL: Partial<ApprovalState> = {
  pending: [
    waits('1', [path('/etc/hosts')]),
    waits('2', [path('/ws/app/a'), path('/etc/passwd')], { label: 'a', why: 'disagreement', waiting: 3 }),
    waits('3', [], { action: { kind: 'call', tool: 'run_all' }, why: 'noTarget', featureSet: undefined }),
  ],
  remembered: [
    grant('g1', ['/etc/hosts']),
    grant('g2', ['/ws/app/src/a.ts'], { lifetime: 'session', until: undefined, action: 'edit_file' }),
  ],
  history: [
    decision(9, 'scope/elevate /etc/hosts: allowed by the person (once)'),
    decision(8, 'edit_file /ws/app/.env: denied by the settings', { outcome: 'refused' }),
    decision(7, 'scope/elevate /x: denied, because there was no answer in time', {
      outcome: 'timeout',
      server: 'other',
    }),
    decision(6, 'scope/elevate: withdrawn before it was answered', { outcome: 'cancelled', featureSet: undefined }),
  ],
};

suite('The rows of the Approvals view', () => {
  test('are in parts if many are remembered, each made when it is opened', () => {
    let looked = 0;
    const many = Array.from({ length: 1_100 }, (_, i) => {
      const remembered = grant(`g${i}`, [`/ws/app/${i + 1}`]);
      return Object.defineProperty(remembered, 'lifetime', { get: () => (looked++, 'workspace'), enumerable: true });
    });
    const [group] = tree({ remembered: many });
    const before = looked;
    assert.deepEqual(
      group?.children.map(({ label, description, children }) => [label, description, children.length]),
      [
        ['1 – 500', '1 … 500', 500],
        ['501 – 1000', '501 … 1000', 500],
        ['1001 – 1100', '1001 … 1100', 100],
      ],
    );
    assert.equal(before < 50, true, `${before} looks`);
  });

  test('are what waits, what is remembered and what was decided, in this order', () => {
    assert.equal(
      render(tree(FULL)),
      `Append to /etc/hosts (files (files.edit) · outside this workspace · expires at 16:05:21) <warning> #pending
Append to /etc/passwd and a (files (files.edit) · 1 of 2 outside this workspace · 3 requests · called something else · expires at 16:05:21) <warning> #pending
Call run_all (files · expires at 16:05:21) <warning> #pending
v Remembered (2) <bookmark> #group
  /etc/hosts (files (files.edit) · until 2027-02-16) <shield> #grant+lasting
  edit_file: src/a.ts (files (files.edit) · for this session) <watch> #grant
> History <history> #group
  /etc/hosts: You allowed it once (files (files.edit) · 1 min) <check> #decision
  edit_file .env: denied by the settings (files (files.edit) · 1 min) <circle-slash> #decision
  /x: denied, because there was no answer in time (other (files.edit) · 1 min) <watch> #decision
  scope/elevate: withdrawn before it was answered (files · 1 min) <close> #decision`,
    );
  });

  test('are none if nothing is remembered, so that the view shows its welcome text', () => {
    assert.deepEqual(tree({}), []);
    assert.equal(render(tree({ history: [decision(1, 'x')] })).split('\n')[0], '> History <history> #group');
  });

  test('say whole sentences to who cannot see them', () => {
    const all = (nodes: readonly ApprovalNode[]): readonly string[] =>
      nodes.flatMap((node) => [node.spoken, ...all(node.children)]);
    assert.deepEqual(
      all(tree({ ...FULL, pending: FULL.pending?.slice(0, 1) ?? [], history: FULL.history?.slice(0, 1) ?? [] })),
      [
        'Waiting for your answer: files (files.edit) wants to append to /etc/hosts, outside this workspace. Asked 1 min ago. Expires at 16:05:21 (then denied).',
        'Remembered: 2 approvals.',
        'Allowed until 2027-02-16: files (files.edit) may have access to /etc/hosts.',
        'Allowed for this session: files (files.edit) may call edit_file: src/a.ts.',
        'History of decisions.',
        'files (files.edit), 1 min ago: /etc/hosts: You allowed it once.',
      ],
    );
  });

  test('are short where a path is long, while what is read out has all of it', () => {
    const real = '/home/ada/projects/other/src/a.ts';
    const nodes = tree({
      pending: [waits('1', [path(real)])],
      remembered: [grant('1', [real])],
      history: [decision(1, `scope/elevate ${real}: refused: It cannot be judged.`)],
    }).flatMap((node) => [node, ...node.children]);
    const [pending, , remembered, , decided] = nodes;
    assert.deepEqual(
      [pending, remembered, decided].map((node) => node?.label),
      ['Append to /home/…/a.ts', '/home/…/a.ts', '/home/…/a.ts: refused: It cannot be judged.'],
    );
    assert.deepEqual(
      [remembered, decided].map((node) => node?.spoken),
      [
        `Allowed until 2027-02-16: files (files.edit) may have access to ${real}.`,
        `files (files.edit), 1 min ago: ${real}: refused: It cannot be judged.`,
      ],
    );
    for (const node of [pending, remembered, decided]) assert.ok(node?.tooltip.includes(real));
    assert.ok(pending?.spoken.includes(real));
  });

  test('name what commands are about, and open their details with Enter', () => {
    const [request, , , remembered] = tree(FULL);
    assert.deepEqual(
      [request, remembered?.children[0], remembered].map((node) => [
        node?.server,
        node?.approval,
        node?.grant,
        node?.command?.id,
      ]),
      [
        ['files', '1', undefined, 'mcpl.approval.open'],
        ['files', undefined, 'g1', 'mcpl.approval.open'],
        [undefined, undefined, undefined, undefined],
      ],
    );
  });

  test('of the history are a page, with a row for more if necessary', () => {
    const history = Array.from({ length: 4 }, (_, i) => decision(i, `x: ${i}`));
    const labels = (shown: number): readonly (string | undefined)[] =>
      tree({ history, shown })[0]?.children.map(({ label }) => label) ?? [];
    assert.deepEqual(labels(3), ['x: 0', 'x: 1', 'x: 2', 'Show more']);
    assert.deepEqual(labels(4), ['x: 0', 'x: 1', 'x: 2', 'x: 3']);
  });

  test('have ids of their own, and stay on one line whatever servers say', () => {
    const label = `a\n\u202Eb${'c'.repeat(5_000)}`;
    const nodes = tree({
      pending: [waits('1', [path(`/x/${label}`)], { label, why: 'disagreement' })],
      remembered: [grant('1', [], { label })],
      history: [decision(1, label)],
    });
    const flat = nodes.flatMap((node) => [node, ...node.children]);
    assert.equal(new Set(flat.map(({ id }) => id)).size, flat.length);
    for (const node of flat) {
      const shown = `${node.label}${node.description}${node.spoken}`;
      assert.doesNotMatch(shown, /[\n\u202E]/);
      assert.ok(shown.length < 1_500, shown);
    }
  });
});

suite('How long an approval holds', () => {
  test('is said in words or as a day, the last day with the hour', () => {
    const end = (rest: Parameters<typeof grant>[2]): string => endText(grant('1', [], rest), NOW);
    assert.deepEqual(
      [
        end({}),
        end({ until: undefined }),
        end({ until: NOW + 60 * MINUTE }),
        end({ until: NOW }),
        end({ lifetime: 'session', until: undefined }),
        end({ lifetime: 'session', until: NOW + 60 * MINUTE }),
      ],
      [
        'until 2027-02-16',
        'until revoked',
        'until 2026-11-18 17:05',
        'no longer',
        'for this session',
        'for this session, until 2026-11-18 17:05 at most',
      ],
    );
  });
});
