import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import type { Era } from '../../../../src/core/model/server.ts';
import type { EraVerdict, VerdictStore } from '../../../../src/core/ports.ts';
import { EraMemory } from '../../../../src/core/session/eraMemory.ts';
import { LEGACY_VERDICT_MS } from '../../../../src/core/session/openingPlan.ts';
import type { Handshake } from '../../../../src/core/wire/handshake.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const NOW = 2 * LEGACY_VERDICT_MS;
const MCPL: JsonObject = { experimental: { mcpl: { version: '0.4' } } };

function handshake(era: Era, capabilities: JsonObject = {}): Handshake {
  const info = { name: 's', title: undefined, version: '1', instructions: undefined };
  return { era, isDialect: false, protocolVersion: 'x', info, capabilities, roundTripMs: 1 };
}

const verdict = (extra: Partial<EraVerdict> = {}): EraVerdict => ({
  fingerprint: 'f',
  era: 'legacy',
  mcpl: false,
  at: NOW,
  ...extra,
});

/** One start of a server, with a store whose writes are recorded as lines. */
class Start {
  readonly writes: string[] = [];
  readonly logs: string[] = [];
  readonly cancellation = new CancellationSource();
  readonly clock = new FakeClock(NOW);
  readonly memory: EraMemory;
  readonly #stored: Map<string, EraVerdict>;

  constructor(stored: readonly EraVerdict[] = [], store: Partial<VerdictStore> = {}) {
    this.#stored = new Map(stored.map((each) => [each.fingerprint, each]));
    this.memory = new EraMemory({
      verdicts: {
        find: (fingerprint) => Promise.resolve(this.#stored.get(fingerprint)),
        save: (saved) => {
          this.#stored.set(saved.fingerprint, saved);
          this.writes.push(`${saved.fingerprint}: ${saved.era}${saved.mcpl ? ' with MCPL' : ''} at ${saved.at - NOW}`);
          return Promise.resolve();
        },
        forget: (fingerprint) => {
          this.#stored.delete(fingerprint);
          this.writes.push(`forget ${fingerprint}`);
          return Promise.resolve();
        },
        ...store,
      },
      fingerprint: 'f',
      clock: this.clock,
      log: { log: (level, message) => void this.logs.push(`${level}: ${message}`) },
      token: this.cancellation.token,
    });
  }

  async opened(era: Era, capabilities?: JsonObject, before?: EraVerdict): Promise<readonly string[]> {
    await this.memory.opened(handshake(era, capabilities), before);
    return this.writes;
  }
}

const silence = (at: number): EraVerdict => verdict({ fingerprint: 'f silent', at });

suite('The era of a server is saved', () => {
  test('after an answer, with what the server announced', async () => {
    assert.deepEqual(
      [
        await new Start().opened('legacy'),
        await new Start().opened('modern'),
        await new Start().opened('legacy', MCPL),
      ],
      [['f: legacy at 0'], ['f: modern at 0'], ['f: legacy with MCPL at 0']],
    );
  });

  test('again when it differs, or when half of its time is over', async () => {
    const half = LEGACY_VERDICT_MS / 2;
    const saved = (before: Partial<EraVerdict>): Promise<readonly string[]> =>
      new Start().opened('legacy', undefined, verdict(before));
    const again = ['f: legacy at 0'];
    assert.deepEqual(
      {
        'the same now': await saved({}),
        'almost half of its time ago': await saved({ at: NOW - half + 1 }),
        'half of its time ago': await saved({ at: NOW - half }),
        'in the future': await saved({ at: NOW + 1 }),
        'another era': await saved({ era: 'modern' }),
        'with MCPL': await saved({ mcpl: true }),
      },
      {
        'the same now': [],
        'almost half of its time ago': [],
        'half of its time ago': again,
        'in the future': again,
        'another era': again,
        'with MCPL': again,
      },
    );
  });

  test('after silence only when an earlier start was silent too, and not long ago', async () => {
    const silent = (...stored: readonly EraVerdict[]): Promise<readonly string[]> => {
      const start = new Start(stored);
      start.memory.wasSilent();
      return start.opened('legacy');
    };
    const noted = ['f silent: legacy at 0'];
    const kept = ['f: legacy at 0'];
    assert.deepEqual(
      {
        'the first time': await silent(),
        'the second time': await silent(silence(NOW)),
        'almost a week ago': await silent(silence(NOW - LEGACY_VERDICT_MS + 1)),
        'a week ago': await silent(silence(NOW - LEGACY_VERDICT_MS)),
        'in the future': await silent(silence(NOW + 1)),
      },
      {
        'the first time': noted,
        'the second time': kept,
        'almost a week ago': kept,
        'a week ago': noted,
        'in the future': noted,
      },
    );
  });

  test('after silence at once where the session itself shows it', async () => {
    const silent = (era: Era, capabilities?: JsonObject): Promise<readonly string[]> => {
      const start = new Start();
      start.memory.wasSilent();
      return start.opened(era, capabilities);
    };
    assert.deepEqual(
      [await silent('modern'), await silent('legacy', MCPL)],
      [['f: modern at 0'], ['f: legacy with MCPL at 0']],
    );
  });

  test('after a second process only if that one was clearly faster', async () => {
    const replaced = (silentMs: number, openedMs: number): Promise<readonly string[]> => {
      const start = new Start([silence(NOW)]);
      start.memory.wasSilent();
      start.memory.replaced(silentMs, openedMs);
      return start.opened('legacy');
    };
    assert.deepEqual(
      [await replaced(3_000, 1_000), await replaced(3_000, 1_001), await replaced(2_999, 1_000)],
      [['f: legacy at 0'], [], []],
    );
    const answered = new Start();
    answered.memory.replaced(0, 1_000);
    assert.deepEqual(await answered.opened('legacy'), ['f: legacy at 0']);
  });

  test('by a late answer, which takes the place of silence', async () => {
    const early = new Start([silence(NOW)]);
    early.memory.wasSilent();
    await early.memory.answeredLate('modern');
    assert.deepEqual(early.writes, [], 'there is no session yet');
    assert.deepEqual(await early.opened('legacy'), ['f: modern at 0']);

    const late = new Start();
    late.memory.wasSilent();
    await late.opened('legacy');
    await late.clock.advance(5);
    await late.memory.answeredLate('legacy');
    assert.deepEqual(late.writes, ['f silent: legacy at 0', 'forget f silent', 'f: legacy at 5']);
  });
});

suite('A store of eras that fails', () => {
  const fails = (): Promise<never> => Promise.reject(new Error('the disk is full'));

  test('is logged, and stops nothing', async () => {
    const start = new Start([], { find: fails, save: fails, forget: fails });
    assert.equal(await start.memory.find(), undefined);
    await start.memory.forget();
    await start.memory.opened(handshake('legacy'));
    assert.deepEqual(start.logs, [
      'warn: What the server speaks could not be looked up: the disk is full',
      'warn: What the server spoke could not be forgotten: the disk is full',
      'warn: What the server speaks could not be kept: the disk is full',
    ]);
  });

  test('does not hide that the start was cancelled', async () => {
    const start = new Start([], { find: () => new Promise(() => undefined) });
    const found = start.memory.find().catch((error: unknown) => isHostError(error, 'CANCELLED'));
    await settle();
    start.cancellation.cancel();
    assert.equal(await found, true);
    assert.deepEqual(start.logs, []);
  });

  test('that works finds what was saved and forgets it', async () => {
    const start = new Start([verdict({ era: 'modern' })]);
    assert.equal((await start.memory.find())?.era, 'modern');
    await start.memory.forget();
    assert.deepEqual([await start.memory.find(), start.writes, start.logs], [undefined, ['forget f'], []]);
  });
});
