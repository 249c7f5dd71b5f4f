import assert from 'node:assert/strict';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { Json } from '../../../../src/core/base/json.ts';
import { redactor } from '../../../../src/core/base/secrets.ts';
import { type LogEntry, ServerLogging } from '../../../../src/core/logging/serverLogging.ts';
import { LOG_LEVELS, type LogLevelName } from '../../../../src/core/model/catalog.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { failWith, ScriptedServer } from '../../../support/scriptedServer.ts';
import { connect, type Connected, type ConnectionOptions } from '../session/connection.ts';

class Setting {
  readonly clock = new FakeClock();
  readonly lines: string[] = [];
  readonly logging: ServerLogging;

  constructor(level?: LogLevelName) {
    this.logging = new ServerLogging({
      clock: this.clock,
      log: { log: (level, message) => this.lines.push(`${level} ${message}`) },
      redact: redactor([{ name: 'KEY', value: 'hunter22' }]),
      requestTimeoutMs: () => 10_000,
      level,
      listeners: this,
    });
  }

  readonly entries: string[] = [];
  hasListeners = true;

  fire(entry: LogEntry): void {
    this.entries.push(JSON.stringify(entry));
  }

  connect(options: ConnectionOptions = {}): Promise<Connected> {
    const server = options.server ?? new ScriptedServer({ 'logging/setLevel': () => ({}) });
    return connect([this.logging], { capabilities: { logging: {} }, clock: this.clock, ...options, server });
  }

  /** The log lines for these messages of a server. */
  async hear(c: Connected, ...messages: readonly Json[]): Promise<readonly string[]> {
    for (const params of messages) c.server.say({ jsonrpc: '2.0', method: 'notifications/message', params });
    await settle();
    return this.lines.splice(0);
  }
}

suite('The log of a server', () => {
  test('has its eight levels as ours, with those named that we do not have', async () => {
    const s = new Setting();
    const c = await s.connect();
    const messages = [...LOG_LEVELS, 'loud'].map((level) => ({ level, data: 'x' }));
    assert.deepEqual(await s.hear(c, ...messages), [
      'debug x',
      'info x',
      'info notice: x',
      'warn x',
      'error x',
      'error critical: x',
      'error alert: x',
      'error emergency: x',
      'info x',
    ]);
    c.dispose();
  });

  test('takes data of every kind, with the name of the logger, and nothing that is no message', async () => {
    const s = new Setting();
    const c = await s.connect();
    const data: readonly Json[] = ['two\nlines', { error: 'e', n: [1] }, [], 7, false, null];
    assert.deepEqual(
      await s.hear(
        c,
        ...data.map((item) => ({ level: 'info', logger: 'db\n1', data: item })),
        { level: 'info', logger: '' },
        { data: 'no level' },
        {},
      ),
      [
        'info [db 1] two\nlines',
        'info [db 1] {"error":"e","n":[1]}',
        'info [db 1] []',
        'info [db 1] 7',
        'info [db 1] false',
        'info [db 1] null',
        'info null',
      ],
    );
    c.dispose();
  });

  test('is bounded in length and in number, shows no secret, not even half of one, and nothing that deceives', async () => {
    const s = new Setting();
    const c = await s.connect();
    const [line = ''] = await s.hear(c, {
      level: 'info',
      logger: 'hunter22',
      data: `\u001b[31m\u202e${'x'.repeat(3_990)}hunter22`,
    });
    assert.equal(line.length, 'info [[secret: KEY]] '.length + 4_000);
    assert.match(line, /^info \[\[secret: KEY\]\] \[31mx+\[?/);
    assert.doesNotMatch(line, /hunt/);
    const flood = await s.hear(c, ...Array.from({ length: 500 }, (_, i) => ({ level: 'warning', data: i })));
    assert.equal(flood.length, 199);
    await s.clock.advance(1_000);
    assert.deepEqual(s.lines.splice(0), ['warn … 301 lines left out']);
    await s.hear(c, ...Array.from({ length: 201 }, () => ({ level: 'error', data: '' })));
    c.dispose();
    assert.deepEqual([s.lines, s.clock.waiting], [['error … 1 line left out'], 0]);
  });

  test('is as detailed as was asked for, also after a restart and when the server forgot', async () => {
    const s = new Setting();
    const first = await s.connect();
    assert.deepEqual([first.heard(), s.logging.level], [[], undefined]);
    await s.logging.setLevel('warning');
    first.renew();
    await settle();
    const asked = 'logging/setLevel {"level":"warning"}';
    assert.deepEqual([first.heard(), s.logging.level], [[asked, asked], 'warning']);
    first.dispose();
    await s.logging.setLevel('debug');
    const second = await s.connect();
    assert.deepEqual(second.heard(), ['logging/setLevel {"level":"debug"}']);
    second.dispose();

    const settled = new Setting('error');
    const third = await settled.connect();
    assert.deepEqual(third.heard(), ['logging/setLevel {"level":"error"}']);
    third.dispose();
  });

  test('is left to a server that has no say in it, whose messages are written all the same', async () => {
    const s = new Setting('info');
    const c = await s.connect({ capabilities: {} });
    await assert.rejects(s.logging.setLevel('debug'), (error) => isHostError(error, 'CAPABILITY_MISSING'));
    assert.deepEqual([c.heard(), s.logging.level], [[], 'info']);
    assert.deepEqual(await s.hear(c, { level: 'info', data: 'x' }), ['info x']);
    c.dispose();
  });

  test('stays as it was where the server refuses, which is an error for who asked and a remark after a start', async () => {
    const s = new Setting('info');
    const server = new ScriptedServer({ 'logging/setLevel': () => failWith(-32603, 'no') });
    const c = await s.connect({ server });
    assert.deepEqual(s.lines.splice(0), ['warn The level of the server’s log could not be set: no']);
    await assert.rejects(s.logging.setLevel('debug'), (error) => isHostError(error, 'REMOTE_ERROR'));
    assert.equal(s.logging.level, 'info');
    c.dispose();
  });

  test('is passed on unchanged, at every level, except for secrets, and only with a listener', async () => {
    const s = new Setting();
    const c = await s.connect();
    s.hasListeners = false;
    await s.hear(c, { level: 'info', data: 'unheard' });
    s.hasListeners = true;
    const data = { at: ['my hunter22', 7, null], hunter22: true };
    await s.hear(c, { level: 'debug', logger: 'db\nhunter22', data }, { level: 'alert', data: 'x'.repeat(70_000) }, {});
    const [whole, cut = ''] = s.entries.splice(0);
    assert.equal(
      whole,
      '{"level":"debug","logger":"db [secret: KEY]","data":{"at":["my [secret: KEY]",7,null],"[secret: KEY]":true}}',
    );
    assert.equal((JSON.parse(cut) as LogEntry & { readonly data: string }).data.length, 4_000);
    await s.hear(c, ...Array.from({ length: 500 }, (_, i) => ({ level: 'warning', data: i })));
    assert.equal(s.entries.length, 198);
    c.dispose();
  });

  test('is as much as whoever listens wanted most, unless the user chose; and the last wanted leaves it as it is', async () => {
    const s = new Setting();
    const early = s.logging.wanted('error');
    const c = await s.connect();
    const info = s.logging.wanted('info');
    const warning = s.logging.wanted('warning');
    await settle();
    info.dispose();
    await settle();
    const asked = (level: string): string => `logging/setLevel {"level":"${level}"}`;
    assert.deepEqual([c.heard(), s.logging.level], [[asked('error'), asked('info'), asked('warning')], undefined]);
    await s.logging.setLevel('alert');
    const debug = s.logging.wanted('debug');
    await settle();
    for (const wanted of [debug, warning, early]) wanted.dispose();
    await settle();
    assert.deepEqual([c.heard(), s.logging.level], [[asked('alert')], 'alert']);
    c.dispose();
  });

  test('is asked for again by what is wished when the server forgot, and never of one that has no say in it', async () => {
    const s = new Setting();
    const wanted = s.logging.wanted('notice');
    const mute = await s.connect({ capabilities: {} });
    assert.deepEqual(mute.heard(), []);
    mute.dispose();
    const c = await s.connect();
    c.renew();
    await settle();
    assert.deepEqual(c.heard(), ['logging/setLevel {"level":"notice"}', 'logging/setLevel {"level":"notice"}']);
    wanted.dispose();
    c.dispose();
  });
});
