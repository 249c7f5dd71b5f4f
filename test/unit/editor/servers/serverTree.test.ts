import assert from 'node:assert/strict';
import { HostError, type ServerSnapshot, type SettingsProblem } from '../../../../src/core/index.ts';
import { serverNode, serverTree } from '../../../../src/editor/servers/serverTreeNodes.ts';
import type { TreeNode } from '../../../../src/editor/shared/treeNode.ts';
import { mcpl, view } from '../../../support/featureSets.ts';
import { renderTree } from '../../../support/renderTree.ts';
import { problem, running, snapshot, tool } from '../../../support/serverSnapshots.ts';

const NOT_FOUND = new HostError('COMMAND_NOT_FOUND', 'The program "nod" was not found.', {
  layer: 'process',
  suggestion: 'Install it, or correct "command" in the settings.',
});

function show(servers: readonly ServerSnapshot[], problems: readonly SettingsProblem[] = []): string {
  return renderTree(serverTree(servers, problems));
}

function all(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.flatMap((node) => [node, ...all(node.children)]);
}

suite('the Servers view', () => {
  test('shows a running server with its revision, its tools and its log', () => {
    const tools = [tool('read', { autoApproved: true }), tool('write'), tool('erase', { offered: false })];
    assert.equal(
      show([snapshot('files', running(), { tools })]),
      [
        '> files (running · 3 tools · 2025-06-18) <circle-filled> #server+stoppable+enabled',
        '  > Tools (2 of 3 offered to models) <tools>',
        '    [x] read (auto-approved) <pass> #tool+autoApproved+offered',
        '    [x] write (asks first) <shield> #tool+asks+offered',
        '    [ ] erase (not offered) <shield> #tool+asks+hidden',
        '  Log <output>',
      ].join('\n'),
    );
  });

  test('shows a server that says nothing with what the user can do about it', () => {
    const silent = snapshot('quiet', running(), { health: { kind: 'notResponding' } });
    const busy = snapshot('busy', running(), { health: { kind: 'busy', minutes: 2 } });
    assert.equal(
      show([silent, busy]),
      [
        '> quiet (not responding · 2025-06-18) <warning> #server+stoppable+enabled',
        '  Restart Server (no answer to 3 pings) <warning>',
        '  Log <output>',
        '> busy (busy for 2 min · 2025-06-18) <warning> #server+stoppable+busy+enabled',
        '  Cancel Call (running for 2 min) <warning>',
        '  Log <output>',
      ].join('\n'),
    );
    const steps = all(serverTree([silent, busy], [])).filter(({ kind }) => kind === 'note');
    assert.deepEqual(
      steps.map(({ command }) => command?.id),
      ['mcpl.server.restart', 'mcpl.server.cancelCall'],
    );
  });

  test('begins the row of a next step with a short verb, and says all of it in the tooltip and to a screen reader', () => {
    const stopped = (['notApproved', 'notAllowed', 'restrictedMode'] as const).map((reason) =>
      snapshot(reason, { kind: 'stopped', reason }),
    );
    const servers = [
      ...stopped,
      snapshot('asking', { kind: 'asking' }),
      snapshot('quiet', running(), { health: { kind: 'notResponding' } }),
      snapshot('busy', running(), { health: { kind: 'busy', minutes: 2 } }),
    ];
    const steps = all(serverTree(servers, [])).filter(({ kind }) => kind === 'note');
    assert.deepEqual(
      steps.map(({ label, description, tooltip }) => [`${label} ${description}`, tooltip]),
      [
        [
          'Start Server to be asked again',
          'You did not allow the server to start, or did not give a value that it needs. Select to be asked again.',
        ],
        [
          'Ask your administrator to allow the server',
          'The editor does not allow the server. Ask your administrator to allow it, or change the setting if it is yours.',
        ],
        [
          'Trust the workspace to start servers',
          'This window is in Restricted Mode, where no server starts. Trust the workspace to start servers.',
        ],
        ['Show Question to start the server', 'The server waits for your answer. Select to see the question again.'],
        ['Restart Server no answer to 3 pings', 'The server did not answer three pings. Select to restart it.'],
        [
          'Cancel Call running for 2 min',
          'A call has been running for 2 min, and the server answers nothing else. Select to cancel the call.',
        ],
      ],
    );
    for (const { label, tooltip, spoken } of steps) {
      // A side bar of 220 pixels shows 25 characters of a row.
      assert.ok(label.length <= 25, label);
      assert.equal(spoken, `${label}: ${tooltip}`);
    }
    for (const [index, server] of servers.entries())
      assert.ok(serverNode(server).tooltip.includes(steps[index]?.tooltip ?? '-'), server.id);
  });

  test('says of a tool whose arguments cannot be checked why not', () => {
    const tools = [{ ...tool('odd'), remark: 'The schema does not describe an object.' }];
    const servers = [snapshot('files', running(), { tools })];
    assert.equal(
      show(servers).split('\n')[2],
      '    [x] odd (asks first · arguments not checked) <shield> #tool+asks+offered',
    );
    const [row] = all(serverTree(servers, [])).filter(({ kind }) => kind === 'tool');
    assert.match(row?.tooltip ?? '', /Its arguments are sent unchecked: The schema does not describe an object\./);
  });

  test('says of a tool that cannot be offered why not, without a checkbox', () => {
    const off = tool('off', { offered: false });
    const tools = [
      { ...off, setOff: 'memory' },
      { ...tool('any', { offered: false }), setOff: 'files', needs: ['memory', 'files'] },
      { ...tool('page', { offered: false }), forApps: true as const },
      { ...tool('spy', { offered: false }), setOff: 'chat', lacksUse: true as const },
      { ...tool('stray', { offered: false }), setOff: 'nowhere' },
    ];
    const sets = ['memory', 'files', 'chat'].map((name) => view(name));
    const servers = [snapshot('files', running(), { tools, mcpl: mcpl(sets) })];
    const rows = show(servers).split('\n');
    assert.deepEqual(
      rows.slice(
        rows.findIndex((row) => row.includes('Tools')),
        -1,
      ),
      [
        '  > Tools (0 of 5 offered to models) <tools>',
        '    off (off with memory) <shield> #tool+asks+setOff',
        '    any (off, needs 2 feature sets) <shield> #tool+asks+setsOff',
        '    page (for apps only) <shield> #tool+asks',
        '    spy (off, tools not declared) <shield> #tool+asks',
        '    stray (off with nowhere) <shield> #tool+asks',
      ],
    );
    const tooltips = all(serverTree(servers, [])).filter(({ kind }) => kind === 'tool');
    assert.deepEqual(
      tooltips.map(({ tooltip }) => tooltip.split('\n').slice(1).join(' ')),
      [
        'Its feature set "memory" is off. To offer it to models, choose Turn On Feature Set.',
        'It may belong to any of several feature sets: memory, files. It is off because "files" is off. Turn on all of them, or name its feature set in the setting "toolFeatureSets".',
        'The server declares it for its own apps only. Models are never offered it.',
        'Its feature set "chat" does not declare "tools" in its "uses". Report this to the author of the server.',
        'Its feature set "nowhere" is off and cannot be turned on, because the server does not declare it correctly. Report this to the author of the server.',
      ],
    );
    assert.deepEqual(tooltips.map(({ spoken }) => spoken).slice(0, 2), [
      'off, off with memory, Turn On "memory"',
      'any, off, needs 2 feature sets',
    ]);
  });

  test('shows why a server failed and the next step, opened', () => {
    assert.equal(
      show([snapshot('files', { kind: 'failed', error: NOT_FOUND })]),
      [
        'v files (failed) <error> #server+startable+failed+enabled',
        '  The program "nod" was not found. <error>',
        '  Install it, or correct "command" in the settings. <lightbulb>',
        '  Log <output>',
      ].join('\n'),
    );
  });

  test('shows an entry with errors as what to change, and keeps the others', () => {
    const wrong = problem(['bad', 'args', 0], 'Must be a text.');
    const whole = problem([], 'Must be an object that maps server ids to entries.', { scope: 'user' });
    const bad = snapshot(
      'bad',
      { kind: 'stopped', reason: 'notStarted' },
      { definition: undefined, problems: [wrong] },
    );
    assert.equal(
      show([bad, snapshot('good', { kind: 'starting' })], [whole, wrong]),
      [
        'Must be an object that maps server ids to entries. (user settings) <error> #problem',
        'v bad (error in settings) <error> #server+enabled',
        '  args.0: Must be a text. (workspace settings) <error> #problem',
        '  Log <output>',
        '> good (starting…) <loading~spin> #server+stoppable+enabled',
        '  Log <output>',
      ].join('\n'),
    );
  });

  test('has words and an icon for every state', () => {
    const states: readonly ServerSnapshot['state'][] = [
      { kind: 'stopped', reason: 'notStarted' },
      { kind: 'stopped', reason: 'notApproved' },
      { kind: 'stopped', reason: 'restrictedMode' },
      { kind: 'asking' },
      { kind: 'stopping' },
      {
        kind: 'restarting',
        error: new HostError('SERVER_EXITED', 'It exited with code 1.', { layer: 'process' }),
        at: 0,
      },
    ];
    const rows = states.map((state) => serverNode(snapshot('s', state, { enabled: false })));
    assert.equal(
      rows.map((node) => renderTree([{ ...node, children: node.children.slice(0, -1) }])).join('\n'),
      [
        '> s (off) <circle-outline> #server+startable',
        '> s (not allowed to start) <circle-outline> #server+startable',
        '  Start Server (to be asked again) <info>',
        '> s (off in Restricted Mode) <circle-outline> #server+startable',
        '  Trust the workspace (to start servers) <info>',
        '> s (waiting for your answer) <question> #server+startable+stoppable+asking',
        '  Show Question (to start the server) <info>',
        '> s (stopping…) <loading~spin> #server',
        '> s (stopped unexpectedly, starts again soon) <sync> #server+startable+stoppable',
        '  It exited with code 1. <warning>',
      ].join('\n'),
    );
  });

  test('shows in the tooltip what runs, without expanding a variable', () => {
    assert.equal(
      serverNode(snapshot('files', running('Use read first.'))).tooltip,
      [
        'files',
        'node "my server.js" --token=${input:key}',
        'State: running',
        'Server: Files 1.2',
        'Protocol: MCP 2025-06-18, opened with initialize',
        'Transport: standard input and output',
        'First answer after 3 ms',
        'Process: 4711',
        'Defined in workspace settings, enabled',
        '',
        'The server says:',
        'Use read first.',
      ].join('\n'),
    );
  });

  test('says of a tool what the settings do with it first, then only what its server said itself', () => {
    const quiet = tool('quiet', { description: 'Reads.' });
    const raw = { name: 'loud', annotations: { destructiveHint: true, openWorldHint: true } };
    const nodes = all(
      serverTree([snapshot('s', running(), { tools: [quiet, tool('loud', { raw, offered: false })] })], []),
    );
    assert.deepEqual(
      nodes.filter((node) => node.kind === 'tool').map((node) => node.tooltip.split('\n')),
      [
        ['quiet', 'Offered to models. Asks you before a model calls it.', '', 'Reads.'],
        [
          'loud',
          'Not offered to models.',
          'The server says: it may destroy something, it reaches beyond this machine.',
        ],
      ],
    );
  });

  test('leads from a problem to its line, and from a waiting question back to it', () => {
    const wrong = problem(['bad', 'args', 0], 'Must be a text.');
    const whole = problem([], 'Must be an object.', { scope: 'user' });
    const nodes = all(serverTree([snapshot('bad', { kind: 'asking' }, { problems: [wrong] })], [whole, wrong]));
    assert.deepEqual(
      nodes.filter((node) => node.command !== undefined).map((node) => [node.command?.id, node.setting]),
      [
        ['mcpl.server.openSettings', { scope: 'user', path: [] }],
        ['mcpl.server.start', undefined],
        ['mcpl.server.openSettings', { scope: 'workspace', path: ['bad', 'args', 0] }],
        ['mcpl.server.showLog', undefined],
      ],
    );
  });

  test('cleans and cuts every text that a server gave', () => {
    const name = `evil\u202Etxt.${'x'.repeat(5_000)}`;
    const evil = tool(name, { description: `\u0007[run](command:x)\n${'y'.repeat(5_000)}`, title: name });
    const nodes = all(serverTree([snapshot('s', running(name), { tools: [evil] })], []));
    for (const { label, description, tooltip, spoken } of nodes) {
      const text = [label, description, tooltip, spoken].join('');
      assert.doesNotMatch(text, /[\u0007\u202E]/);
      assert.ok(label.length <= 200 && tooltip.length <= 2_600, `${label.length} ${tooltip.length}`);
    }
    const row = nodes.find((node) => node.kind === 'tool');
    assert.deepEqual([row?.tool, row?.label.slice(0, 9)], [name, 'eviltxt.x']);
  });

  test('gives every row an identity of its own that does not depend on state', () => {
    const tools = [tool('a'), tool('a'), tool('b')];
    const before = all(serverTree([snapshot('s', running(), { tools }), snapshot('t', { kind: 'asking' })], []));
    const ids = before.map((node) => node.id);
    assert.equal(new Set(ids).size, ids.length);
    const failed = snapshot('s', { kind: 'failed', error: NOT_FOUND }, { tools });
    assert.equal(serverNode(failed).id, ids[0]);
    assert.deepEqual(
      before.filter((node) => node.kind === 'tool').map((node) => node.tool),
      ['a', 'b'],
    );
  });

  test('says with words what its icons and checkboxes show', () => {
    const nodes = all(serverTree([snapshot('s', running(), { tools: [tool('a')] })], []));
    assert.deepEqual(
      nodes.map((node) => [node.spoken, node.checkbox?.spoken]),
      [
        ['s, running · 1 tool · 2025-06-18', undefined],
        ['Tools, 1', undefined],
        ['a, asks first', 'Offer a to models'],
        ['Log', undefined],
      ],
    );
  });
});
