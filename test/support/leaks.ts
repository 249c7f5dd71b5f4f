import assert from 'node:assert/strict';
import { type Disposable, trackDisposables } from '../../src/core/base/disposable.ts';

interface Watch {
  /** The origin of each disposable that is still alive, oldest first. */
  end(): readonly string[];
}

/** Tracks every disposable that is created from now on. */
export function watchDisposables(): Watch {
  const alive = new Map<Disposable, string>();
  const tracking = trackDisposables({
    created: (disposable) => alive.set(disposable, birthplace()),
    disposed: (disposable) => alive.delete(disposable),
  });
  return {
    end: () => {
      tracking.dispose();
      return [...alive.values()];
    },
  };
}

interface Hooks {
  readonly beforeEach: () => void;
  readonly afterEach: (this: Mocha.Context) => void;
  readonly afterAll: () => void;
}

/**
 * Root hooks for mocha: everything that a test creates must be disposed after it and every `teardown`. Disposables of
 * `suiteSetup` are older than the watch and are ignored. All leaks are reported at the end of the run, because a hook
 * that fails earlier stops the other tests.
 */
export function failOnLeaks(): Hooks {
  const leaks: string[] = [];
  let watch: Watch | undefined;
  return {
    beforeEach: () => {
      watch = watchDisposables();
    },
    afterEach() {
      const alive = watch?.end() ?? [];
      watch = undefined;
      if (alive.length > 0) leaks.push([this.currentTest?.fullTitle(), ...alive].join('\n    '));
    },
    afterAll: () => {
      assert.equal(leaks.length, 0, `These tests left disposables behind:\n  ${leaks.join('\n  ')}`);
    },
  };
}

/** The stack frames of the caller, without this file and `disposable.ts`. */
function birthplace(): string {
  const frames = (new Error().stack ?? '').split('\n').slice(1);
  const own = frames.filter((frame) => !/support\/leaks|src\/core\/base\/|node:internal|node_modules/.test(frame));
  return own
    .slice(0, 3)
    .map((frame) => frame.trim())
    .join(' < ');
}
