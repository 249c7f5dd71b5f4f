import assert from 'node:assert/strict';
import { Deferred, type ApprovalChoice, type PendingApproval } from '../../../../src/core/index.ts';
import { ApprovalToasts } from '../../../../src/editor/approvals/approvalToasts.ts';
import { path, waits } from './scopeApprovals.ts';

/** A host and a user, with recorded events. */
class Desk {
  readonly log: string[] = [];
  readonly #pending = new Map<string, PendingApproval>();
  readonly #shown = new Map<string, Deferred<ApprovalChoice | undefined>>();
  failure: Error | undefined;
  readonly toasts = new ApprovalToasts({
    textOf: ({ subject }) => subject.targets.map(({ real }) => real).join(),
    show: (text, { id }) => {
      this.log.push(`shown ${id}: ${text}`);
      const shown = new Deferred<ApprovalChoice | undefined>();
      this.#shown.set(id, shown);
      return shown.promise;
    },
    isPending: (id) => this.#pending.has(id),
    answer: async (id, choice) => {
      if (this.failure !== undefined) throw this.failure;
      const counted = this.#pending.has(id);
      this.log.push(`answered ${id}: ${choice}${counted ? '' : ', too late'}`);
      if (counted) this.end(id);
      return counted;
    },
    late: ({ id }) => this.log.push(`told that ${id} is late`),
    failed: ({ id }, error) => this.log.push(`${id} failed: ${String(error)}`),
  });

  ask(id: string, real: string): void {
    const approval = waits(id, [path(real)]);
    this.#pending.set(id, approval);
    this.toasts.asked(approval);
  }

  end(id: string): void {
    const approval = this.#pending.get(id);
    assert.ok(approval);
    this.#pending.delete(id);
    this.toasts.settled({ approval, outcome: { kind: 'denied', why: 'timeout' } });
  }

  async takes(id: string, choice: ApprovalChoice | undefined): Promise<readonly string[]> {
    this.#shown.get(id)?.resolve(choice);
    await new Promise((resolve) => setImmediate(resolve));
    return this.log.splice(0);
  }
}

suite('The notifications that ask', () => {
  test('are one for each request, and their buttons are its answer', async () => {
    const desk = new Desk();
    desk.ask('1', '/a');
    desk.ask('2', '/b');
    assert.deepEqual(desk.log.splice(0), ['shown 1: /a', 'shown 2: /b']);
    assert.deepEqual(await desk.takes('2', 'session'), ['answered 2: session']);
    assert.deepEqual(await desk.takes('1', 'deny'), ['answered 1: deny']);
  });

  test('that are closed without an answer deny', async () => {
    const desk = new Desk();
    desk.ask('1', '/a');
    assert.deepEqual(await desk.takes('1', undefined), ['shown 1: /a', 'answered 1: dismiss']);
  });

  test('report an ended request, but not if they are only closed', async () => {
    const desk = new Desk();
    desk.ask('1', '/a');
    desk.ask('2', '/b');
    desk.end('1');
    desk.end('2');
    desk.log.length = 0;
    assert.deepEqual(await desk.takes('1', 'once'), ['answered 1: once, too late', 'told that 1 is late']);
    assert.deepEqual(await desk.takes('2', undefined), ['answered 2: dismiss, too late']);
  });

  test('that read alike come one after the other: the editor would close the first for the second', async () => {
    const desk = new Desk();
    for (const id of ['1', '2', '3', '4']) desk.ask(id, '/a');
    assert.deepEqual(desk.log.splice(0), ['shown 1: /a']);
    desk.end('2');
    assert.deepEqual(await desk.takes('1', 'once'), ['answered 1: once', 'shown 3: /a']);
    desk.end('3');
    assert.deepEqual(desk.log.splice(0), ['shown 4: /a']);
    // The editor closes the third notification for the fourth.
    assert.deepEqual(await desk.takes('3', undefined), ['answered 3: dismiss, too late']);
    assert.deepEqual(await desk.takes('4', 'deny'), ['answered 4: deny']);
    desk.ask('5', '/a');
    assert.deepEqual(desk.log.splice(0), ['shown 5: /a']);
  });

  test('are not shown for ended requests, and report an answer that could not be stored', async () => {
    const desk = new Desk();
    desk.toasts.asked(waits('0', [path('/a')]));
    desk.ask('1', '/a');
    desk.failure = new Error('The disk is full.');
    assert.deepEqual(await desk.takes('1', 'workspace'), ['shown 1: /a', '1 failed: Error: The disk is full.']);
  });
});
