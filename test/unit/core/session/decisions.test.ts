import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HostError } from '../../../../src/core/base/errors.ts';
import type { Json } from '../../../../src/core/base/json.ts';
import type { ServerDefinition, ServerState } from '../../../../src/core/model/server.ts';
import { fingerprint, sameConnection } from '../../../../src/core/session/fingerprint.ts';
import { type LifecycleEvent, transition } from '../../../../src/core/session/lifecycle.ts';
import { reconcile } from '../../../../src/core/session/reconciliation.ts';
import { decideRestart } from '../../../../src/core/session/restartPolicy.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';
import { serverDefinition } from '../../../support/serverDefinition.ts';

const error = new HostError('SERVER_EXITED', 'gone', { layer: 'process' });
const info = { name: 's', title: undefined, version: '1', instructions: undefined };
const connection = {
  era: 'legacy',
  isDialect: false,
  roundTripMs: 3,
  transport: 'stdio',
  session: undefined,
} as const;
const states: readonly ServerState[] = [
  { kind: 'stopped', reason: 'notStarted' },
  { kind: 'asking' },
  { kind: 'starting' },
  {
    kind: 'running',
    info,
    protocolVersion: '2025-06-18',
    connection,
    pid: 1,
    since: 0,
  },
  { kind: 'stopping' },
  { kind: 'restarting', error, at: 9 },
  { kind: 'failed', error },
];
const events: readonly LifecycleEvent[] = [
  { kind: 'asked' },
  { kind: 'connecting' },
  { kind: 'ready', info, protocolVersion: '2025-06-18', connection, pid: 1, since: 0 },
  { kind: 'stopping' },
  { kind: 'stopped', reason: 'byUser' },
  { kind: 'crashed', error, restartAt: 9 },
  { kind: 'failed', error },
];

suite('The life of a server', () => {
  test('each state follows only the events that can happen in it', () => {
    const table = states.map((state) => {
      const next = events.map((event) => {
        const after = transition(state, event);
        return after === state ? '-' : after.kind;
      });
      return `${state.kind}: ${next.join(' ')}`;
    });
    assert.equal(
      table.join('\n'),
      `stopped: asking starting - - stopped - -
asking: - starting - stopping stopped restarting failed
starting: asking - running stopping stopped restarting failed
running: - - - stopping stopped restarting failed
stopping: - - - - stopped - -
restarting: asking starting - stopping stopped - failed
failed: asking starting - - stopped - -`,
    );
  });
});

suite('Restarting after a crash', () => {
  test('waits longer each time and gives up at the fifth crash within three minutes', () => {
    const crashes: number[] = [];
    const lines: string[] = [];
    for (let now = 0; crashes.length < 5; now += 10_000) {
      crashes.push(now);
      const decision = decideRestart(crashes, now, 0.5);
      lines.push(decision.kind === 'restart' ? `${decision.delayMs} ms` : `give up after ${decision.crashes}`);
    }
    assert.deepEqual(lines, ['1000 ms', '2000 ms', '4000 ms', '8000 ms', 'give up after 5']);
  });

  test('forgets crashes of more than three minutes ago', () => {
    const decision = decideRestart([0, 1, 2, 3, 180_003], 180_003, 0.5);
    assert.deepEqual(decision, { kind: 'restart', delayMs: 1000 });
  });

  test('spreads the delay by a quarter either way and never waits over half a minute and that quarter', () => {
    assert.deepEqual(decideRestart([0], 0, 0), { kind: 'restart', delayMs: 750 });
    assert.deepEqual(decideRestart([0], 0, 1), { kind: 'restart', delayMs: 1250 });
    fc.assert(
      fc.property(
        fc.array(fc.nat(400_000), { maxLength: 8 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (times, r) => {
          const sorted = [...times].sort((a, b) => a - b);
          const decision = decideRestart(sorted, sorted.at(-1) ?? 0, r);
          assert.ok(decision.kind === 'giveUp' || (decision.delayMs >= 750 && decision.delayMs <= 37_500));
        },
      ),
    );
  });
});

suite('What new settings mean for a server', () => {
  const off = serverDefinition();
  const on = serverDefinition({ enabled: true });
  const moved = serverDefinition({ enabled: true }, 'deno');
  const notApproved: ServerState = { kind: 'stopped', reason: 'notApproved' };
  const row = (
    before: ServerDefinition | undefined,
    after: ServerDefinition | undefined,
    trusted = true,
    wasTrusted = true,
  ): string =>
    [...states, notApproved].map((state) => reconcile({ before, after, state, trusted, wasTrusted })).join(' ');

  test('the table of all cases', () => {
    // Columns: stopped, asking, starting, running, stopping, restarting, failed, not approved.
    assert.deepEqual(
      {
        'new and enabled': row(undefined, on),
        'new and disabled': row(undefined, off),
        'switched on': row(off, on),
        'switched off': row(on, off),
        'nothing changed': row(on, on),
        'hidden tools changed': row(on, serverDefinition({ enabled: true, hiddenTools: ['x'] })),
        'connection changed': row(on, moved),
        'connection changed while disabled': row(off, serverDefinition({}, 'deno')),
        'entry broken': row(on, undefined),
        'trust lost': row(on, on, false),
        'trust granted': row(on, on, true, false),
        'trust granted, disabled': row(off, off, true, false),
      },
      {
        'new and enabled': 'start none none none start start start start',
        'new and disabled': 'none none none none none none none none',
        'switched on': 'start none none none start start start start',
        'switched off': 'none stop stop stop stop stop none none',
        'nothing changed': 'none none none none none none none none',
        'hidden tools changed': 'none none none none none none none none',
        'connection changed': 'none restart restart restart none restart start start',
        'connection changed while disabled': 'none restart restart restart none restart none none',
        'entry broken': 'none none none none none none none none',
        'trust lost': 'none stop stop stop stop stop none none',
        'trust granted': 'start none none none start start start start',
        'trust granted, disabled': 'none none none none none none none none',
      },
    );
  });
});

suite('Fingerprints', () => {
  const sha = (text: string): string => text;
  const base = { kind: 'stdio', command: 'node', args: [], envFile: undefined, cwd: undefined } as const;

  test('cover every member of a connection and the text of its environment file', () => {
    const remote = { kind: 'remote', url: 'https://a.test', headers: { A: '1' }, transport: 'auto' } as const;
    const stdio = { kind: 'stdio', command: 'node', args: ['a'], env: { A: '1' }, envFile: 'e', cwd: 'c' } as const;
    const all = [
      fingerprint(stdio, undefined, sha),
      fingerprint(stdio, 'X=1', sha),
      fingerprint({ ...stdio, command: 'deno' }, undefined, sha),
      fingerprint({ ...stdio, args: ['b'] }, undefined, sha),
      fingerprint({ ...stdio, env: { A: '2' } }, undefined, sha),
      fingerprint({ ...stdio, envFile: 'f' }, undefined, sha),
      fingerprint({ ...stdio, cwd: 'd' }, undefined, sha),
      fingerprint(remote, undefined, sha),
      fingerprint({ ...remote, url: 'https://b.test' }, undefined, sha),
      fingerprint({ ...remote, headers: { A: '2' } }, undefined, sha),
      fingerprint({ ...remote, transport: 'http' }, undefined, sha),
    ];
    assert.equal(new Set(all).size, all.length);
  });

  test('differ for connections that only look alike', () => {
    const print = (extra: object, envFile?: string): string =>
      fingerprint({ ...base, env: {}, ...extra }, envFile, sha);
    const all = [
      print({}),
      print({}, ''),
      print({ envFile: '' }),
      print({ cwd: '' }),
      print({ args: [''] }),
      print({ args: ['a', 'b'] }),
      // The order matters for the program.
      print({ args: ['b', 'a'] }),
      print({ args: ['a b'] }),
      print({ args: ['a', 'b', 'b'] }),
      print({ args: ['a,b'] }),
      print({ command: 'node a', args: ['b'] }),
      print({ env: { A: 'B' } }),
      print({ env: { B: 'A' } }),
      print({ env: { A: 'B', B: 'A' } }),
      print({ env: { 'A":"B': '' } }),
      print({ cwd: '/a', envFile: '/b' }),
      print({ cwd: '/b', envFile: '/a' }),
    ];
    assert.equal(new Set(all).size, all.length);
    assert.equal(sameConnection({ ...base, env: {}, args: ['a', 'b'] }, { ...base, env: {}, args: ['b', 'a'] }), false);
  });

  test('cover how a server is signed in to', () => {
    const remote = { kind: 'remote', url: 'https://a.test', headers: {}, transport: 'auto' } as const;
    const auths: readonly Json[] = [
      {},
      { flow: 'off' },
      { clientId: 'a' },
      { clientId: 'b' },
      { scopes: ['a', 'b'] },
      { scopes: ['b', 'a'] },
      { issuer: 'https://i.test' },
      { clientId: 'a', clientSecret: 's' },
      { dpop: 'always' },
    ];
    const prints = auths.map((auth) => {
      const layers = [{ scope: 'user', servers: { a: { url: remote.url, auth } } }] as const;
      const { connection } = decodeSettings(layers).entries[0]?.definition ?? {};
      assert.ok(connection !== undefined);
      return fingerprint(connection, undefined, sha);
    });
    prints.push(fingerprint(remote, undefined, sha));
    assert.equal(new Set(prints).size, prints.length);
  });

  test('do not depend on the order of members', () => {
    const one = { ...base, env: { A: '1', B: '2' } };
    const two = { ...base, env: { B: '2', A: '1' } };
    assert.equal(sameConnection(one, two), true);
    assert.equal(sameConnection(one, { ...base, env: { A: '1' } }), false);
  });
});
