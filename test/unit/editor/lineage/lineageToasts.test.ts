import assert from 'node:assert/strict';
import { Deferred, type StateTrouble } from '../../../../src/core/index.ts';
import { type LineageToast, LineageToasts } from '../../../../src/editor/lineage/lineageToasts.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { NOTES } from './lineageFakes.ts';

const trouble = (rest: Partial<StateTrouble> = {}): StateTrouble => ({
  ...NOTES,
  place: 7,
  tool: 'edit',
  problem: 'Operation 2 (remove /a) does not fit.',
  ...rest,
});

class Desk {
  readonly clock = new FakeClock();
  readonly shown: { readonly toast: LineageToast; readonly closed: Deferred<void> }[] = [];
  readonly toasts = new LineageToasts({
    clock: this.clock,
    show: (toast) => {
      const closed = new Deferred<void>();
      this.shown.push({ toast, closed });
      return closed.promise;
    },
  });

  texts(): readonly string[] {
    return this.shown.map(({ toast }) => toast.text);
  }
}

suite('The notifications of states that could not be kept', () => {
  let desk: Desk;
  setup(() => {
    desk = new Desk();
  });
  teardown(() => desk.toasts.dispose());

  test('say what happened, to which server, and what follows', async () => {
    desk.toasts.broke(trouble());
    await desk.clock.advance(300);
    assert.deepEqual(
      desk.shown.map(({ toast }) => toast),
      [
        {
          text:
            'notes (notes.edit): the state that edit returned could not be made: Operation 2 (remove /a) does not fit. ' +
            'Its next call is refused until you continue from the last good checkpoint, or roll back.',
          key: NOTES,
          rowId: 7,
        },
      ],
    );
    desk.toasts.broke(trouble({ featureSet: '', place: undefined, tool: undefined, problem: 'The disk is [full](x)' }));
    await desk.clock.advance(300);
    assert.equal(
      desk.texts()[1],
      'notes: the state that it sent could not be kept: The disk is [full] (x). What was kept before is not touched.',
    );
  });

  test('are one for a burst, and one at a time for each lineage', async () => {
    desk.toasts.broke(trouble({ place: 7 }));
    desk.toasts.broke(trouble({ place: 8, tool: 'cut' }));
    desk.toasts.broke(trouble({ featureSet: 'other', place: 9 }));
    await desk.clock.advance(300);
    assert.deepEqual(
      desk.shown.map(({ toast }) => [toast.text.split(': Op')[0], toast.rowId]),
      [
        ['notes (notes.edit): 2 states could not be made, the last one of cut', 8],
        ['notes (other): the state that edit returned could not be made', 9],
      ],
    );
    desk.toasts.broke(trouble({ place: 10 }));
    await desk.clock.advance(1_000);
    assert.equal(desk.shown.length, 2);
    desk.shown[0]?.closed.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(desk.shown[2]?.toast.rowId, 10);
  });

  test('are few of one server, however many sets it has, and those of others come between', async () => {
    for (let i = 0; i < 50; i++) desk.toasts.broke(trouble({ featureSet: `set${i}` }));
    desk.toasts.broke(trouble({ server: 'other' }));
    await desk.clock.advance(300);
    assert.deepEqual(
      desk.shown.map(({ toast }) => `${toast.key.server} ${toast.key.featureSet}`),
      ['notes set0', 'notes set1', 'notes set2', 'other notes.edit'],
    );
    desk.shown[0]?.closed.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    desk.toasts.broke(trouble({ featureSet: 'set3' }));
    await desk.clock.advance(300);
    assert.equal(desk.shown.length, 5);
  });

  test('do not wait forever for a hidden one', async () => {
    desk.toasts.broke(trouble());
    await desk.clock.advance(300);
    desk.toasts.broke(trouble({ place: 8 }));
    await desk.clock.advance(15_000);
    assert.equal(desk.shown.length, 2);
  });
});
