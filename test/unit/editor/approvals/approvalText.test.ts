import assert from 'node:assert/strict';
import type { ApprovalOutcome, ScopeTarget } from '../../../../src/core/index.ts';
import {
  approvalText,
  wantedText,
  allowedText,
  historyText,
  lateText,
  nameText,
  narrowText,
  quoteText,
  seenFrom,
  whoText,
} from '../../../../src/editor/approvals/approvalText.ts';
import { grant, name, ONE_FOLDER, path, subject, TWO_FOLDERS, waits } from './scopeApprovals.ts';

type Rest = Parameters<typeof waits>[2];

function said(targets: readonly ScopeTarget[], rest: Rest = {}, folders = ONE_FOLDER): string {
  return approvalText(waits('1', targets, rest), folders);
}

const unlisted = (what = 'this file'): string => `No rule in your settings covers ${what}.`;
const UNLISTED = unlisted();

suite('What a notification asks', () => {
  test('is who wants to do what to which target, as the host computed it', () => {
    const call = { action: { kind: 'call', tool: 'edit_file' } } as const;
    const elevate = (mode: string | undefined): Rest => ({ action: { kind: 'elevate', mode } });
    const table: readonly (readonly [string, string])[] = [
      [said([path('/etc/hosts')]), 'files (files.edit) wants to append to /etc/hosts, outside this workspace.'],
      [said([path('/ws/app/src/a.ts')]), `files (files.edit) wants to append to src/a.ts. ${UNLISTED}`],
      [said([path('/ws/app')]), `files (files.edit) wants to append to the folder app. ${unlisted('this folder')}`],
      [
        said([path('/ws/lib/secrets/a.txt')], {}, TWO_FOLDERS),
        `files (files.edit) wants to append to secrets/a.txt in folder lib. ${UNLISTED}`,
      ],
      [
        said([name('#general')], elevate(undefined)),
        `files (files.edit) wants access to #general. ${unlisted('this target')}`,
      ],
      [said([path('/x')], elevate('write')), 'files (files.edit) wants to write to /x, outside this workspace.'],
      [said([path('/x')], elevate('execute')), 'files (files.edit) wants to run /x, outside this workspace.'],
      [said([path('/x')], elevate('constructor')), 'files (files.edit) wants access to /x, outside this workspace.'],
      [
        said([path('/ws/app/src/a.ts')], { ...call, featureSet: undefined }),
        `files wants to call edit_file on src/a.ts. ${UNLISTED}`,
      ],
      [
        said([path('/x')], { ...call, featureSet: undefined }),
        'files wants to call edit_file on /x, outside this workspace.',
      ],
    ];
    for (const [text, expected] of table) assert.equal(text, expected);
  });

  test('sums up several targets, those outside first, and counts what is the same only once', () => {
    const inside = ['a', 'b', 'c', 'd'].map((file) => path(`/ws/app/${file}`));
    const wants = 'files (files.edit) wants to append to';
    const why = unlisted('all of these files');
    assert.equal(said(inside.slice(0, 2)), `${wants} a and b. ${why}`);
    assert.equal(said(inside.slice(0, 3)), `${wants} a, b and c. ${why}`);
    assert.equal(said(inside), `${wants} a, b and 2 more (details in Approvals). ${why}`);
    assert.equal(
      said([...inside, path('/etc/hosts')]),
      `${wants} /etc/hosts, a and 3 more, 1 of 5 outside this workspace (details in Approvals). ${why}`,
    );
    assert.equal(said([path('/x'), path('/y')]), `${wants} /x and /y, outside this workspace.`);
    assert.equal(said([path('/x', { from: 'label' }), path('/x')]), `${wants} /x, outside this workspace.`);
  });

  test('shows both if label and data differ, and the label if the data is unknown', () => {
    const label = 'src/a.ts';
    assert.equal(
      said([path('/ws/app/src/a.ts', { from: 'label', written: label }), path('/etc/passwd')], {
        label,
        why: 'disagreement',
      }),
      'files (files.edit) wants to append to /etc/passwd and src/a.ts, 1 of 2 outside this workspace. ' +
        'It calls it "src/a.ts", which names something else.',
    );
    assert.equal(
      said([path('/ws/app/a.ts', { from: 'label', written: 'a.ts' }), path('/ws/app/b.ts')], {
        label: 'a.ts',
        why: 'disagreement',
      }),
      'files (files.edit) wants to append to b.ts and a.ts. It calls it "a.ts", which names something else.',
    );
    assert.equal(
      said([], { label: 'Fix the config', why: 'noTarget' }),
      'files (files.edit) wants to append to something unknown. ' +
        'MCP Live could not find out what it touches; the server says "Fix the config".',
    );
    assert.equal(
      said([], { action: { kind: 'call', tool: 'run_all' }, why: 'noTarget' }),
      'files (files.edit) wants to call run_all. MCP Live could not find out what it touches.',
    );
  });

  test('says how a target was written if that is not its real path', () => {
    const text = (real: string, written: string): string => wantedText(subject([path(real, { written })]), ONE_FOLDER);
    assert.deepEqual(
      [
        text('/etc/passwd', 'link/passwd'),
        text('/ws/app/src/a.ts', './src/a.ts'),
        text('/ws/app/src', 'src/'),
        text('/ws/app', '.'),
        text('/x', 'file:///x'),
        text('/ws/app/a', 'src/../a'),
      ],
      [
        'Append to /etc/passwd (written as "link/passwd")',
        'Append to src/a.ts',
        'Append to src',
        'Append to the folder app',
        'Append to /x',
        'Append to a (written as "src/../a")',
      ],
    );
  });

  test('says how many identical requests wait', () => {
    assert.equal(
      said([path('/x')], { waiting: 3 }),
      'files (files.edit) wants to append to /x, outside this workspace (3 identical requests).',
    );
  });

  test('has at most two sentences', () => {
    const many = Array.from({ length: 5 }, (_, i) => path(`/ws/app/${i}`));
    for (const why of ['unlisted', 'disagreement', 'noTarget'] as const)
      for (const targets of [[], many.slice(1), many, [...many, path('/etc/hosts'), name('#general')]])
        for (const label of [undefined, 'x'.repeat(500)]) {
          const text = said(targets, { why, label, waiting: 4 });
          assert.ok((text.match(/[.!?…](?= [A-Z]|$)/g) ?? []).length <= 2, text);
        }
  });

  test('keeps the words of servers apart from ours, without links, on one line and short', () => {
    const sly = 'ok". MCP Live says it is safe [yes](command:x)\n\u202Etxt';
    assert.equal(quoteText(sly), `"ok'. MCP Live says it is safe [yes] (command:x) txt"`);
    assert.equal(nameText('files.edit_2'), 'files.edit_2');
    assert.equal(nameText('edit on a.ts. It is safe'), '"edit on a.ts. It is safe"');
    assert.equal(whoText('a) b (c', 'x'), '"a) b (c" (x)');
    assert.equal(
      said([path('/tmp/x, inside this workspace. "Fine')]),
      String.raw`files (files.edit) wants to append to "/tmp/x, inside this workspace. \"Fine", outside this workspace.`,
    );
    assert.equal(said([path('/a\u202Eb')]).includes('\u202E'), false);
    const long = `/deep/${'d/'.repeat(2_000)}`;
    const many = Array.from({ length: 40 }, (_, i) => path(`${long}${i}.txt`));
    const text = said(many, {
      label: 'x'.repeat(4_000),
      why: 'disagreement',
      waiting: 9,
      server: 's'.repeat(500),
      featureSet: 'f '.repeat(500),
    });
    assert.ok(text.length < 1_000, String(text.length));
    assert.match(text, /\/deep\/d[^ ]*…[^ ]*d\/0\.txt, .* and 38 more, outside/);
  });
});

suite('A remembered approval', () => {
  test('is called by its targets, as seen from the open folders, and by the tool', () => {
    const texts = [
      grant('1', ['/etc/hosts', '/etc/hosts']),
      grant('2', ['/ws/app/src/a.ts', '/ws/application/b']),
      grant('3', ['/ws/lib']),
      grant('4', ['/ws/app/a'], { action: 'edit_file' }),
      grant('5', [], { action: 'run_all' }),
      grant('6', [], { label: 'Everything' }),
    ].map((each) => allowedText(each, TWO_FOLDERS));
    assert.deepEqual(texts, [
      '/etc/hosts',
      'src/a.ts in folder app and /ws/application/b',
      'the folder lib',
      'edit_file: a in folder app',
      'run_all',
      '"Everything"',
    ]);
  });
});

suite('A late answer', () => {
  test('shows how the request ended', () => {
    const outcomes: readonly (ApprovalOutcome | undefined)[] = [
      { kind: 'approved', choice: 'once' },
      { kind: 'approved', choice: 'session' },
      { kind: 'approved', choice: 'workspace' },
      ...(['byPerson', 'timeout', 'dismissed', 'nobody', 'flood', 'withdrawn'] as const).map((why) => ({
        kind: 'denied' as const,
        why,
      })),
      undefined,
    ];
    assert.deepEqual(
      outcomes.map((outcome) => lateText(outcome).replace(' Your answer changed nothing.', '')),
      [
        'That request had ended already: it was allowed once.',
        'That request had ended already: it was allowed for this session.',
        'That request had ended already: it was allowed in this workspace.',
        'That request had ended already: it was denied.',
        'That request had ended already: it was denied, because there was no answer in time.',
        'That request had ended already: it was denied, because its notification was closed.',
        'That request had ended already: it was denied, because there is no user to ask.',
        'That request had ended already: it was denied, because there were too many requests.',
        'That request had ended already: it was withdrawn before it was answered.',
        'That request had ended already.',
      ],
    );
  });
});

suite('A decision', () => {
  test('of the user is shown as such, whatever the target is called', () => {
    const shown = (how: string): string => historyText(`edit /x: denied by the person: ${how}`).slice(31);
    assert.deepEqual(
      [
        'allowed by the person (once)',
        'allowed by the person (session)',
        'allowed by the person (workspace)',
        'allowed by the person before (session)',
        'allowed by the person before (workspace)',
        'denied by the person',
        'denied by the settings',
        'allowed for this call before',
      ].map(shown),
      [
        'You allowed it once',
        'You allowed it for the session',
        'You allowed it in this workspace',
        'You had allowed it for the session',
        'You had allowed it in this workspace',
        'You denied it',
        'denied by the settings',
        'allowed for this call before',
      ],
    );
  });

  test('has the begin and the file of long paths in its row', () => {
    assert.equal(
      narrowText('edit /home/ada/projects/other/src/a.ts, /etc/hosts and C:/Users/Ada/Documents/b.txt: denied'),
      'edit /home/…/a.ts, /etc/hosts and C:/Users/…/b.txt: denied',
    );
    assert.equal(narrowText('src/very/long/way/down/to/the/file.ts'), 'src/very/long/way/down/to/the/file.ts');
  });

  test('has paths as seen from the open folders, and no others', () => {
    const text = 'edit /ws/app/a, /ws/lib/b, /x/ws/app/c, /ws/app';
    assert.equal(seenFrom(ONE_FOLDER, text), 'edit a, /ws/lib/b, /x/ws/app/c, /ws/app');
    assert.equal(seenFrom(TWO_FOLDERS, text), 'edit app/a, lib/b, /x/ws/app/c, /ws/app');
    assert.equal(seenFrom([{ name: 'c++', path: '/c++ (x)' }], '/c++ (x)/a'), 'a');
  });
});
