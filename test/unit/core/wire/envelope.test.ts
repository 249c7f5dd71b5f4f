import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { isOver } from '../../../../src/core/model/task.ts';
import {
  decodeAcknowledged,
  decodeDiscover,
  decodeInputRequired,
  encodeFilter,
  envelope,
  isHeaderMismatch,
  requiredCapabilitiesOf,
  subscriptionIdOf,
} from '../../../../src/core/wire/envelope.ts';
import { decodeCreatedTask, decodeTask, isCreatedTask } from '../../../../src/core/wire/taskMessages.ts';

const KEY = 'io.modelcontextprotocol/';

suite('A stateless request', () => {
  const facts = {
    protocolVersion: '2026-07-28',
    clientInfo: { name: 'c', version: '1' },
    clientCapabilities: { roots: {} },
  };

  test('says in its _meta who asks and keeps what is there', () => {
    const params = { name: 'x', _meta: { progressToken: 7, [`${KEY}protocolVersion`]: 'stale' } };
    assert.deepEqual(envelope(params, { ...facts, logLevel: 'info' }), {
      name: 'x',
      _meta: {
        progressToken: 7,
        [`${KEY}protocolVersion`]: '2026-07-28',
        [`${KEY}clientInfo`]: { name: 'c', version: '1' },
        [`${KEY}clientCapabilities`]: { roots: {} },
        [`${KEY}logLevel`]: 'info',
      },
    });
    assert.deepEqual(params._meta, { progressToken: 7, [`${KEY}protocolVersion`]: 'stale' });
    assert.equal(JSON.stringify(envelope({}, facts)).includes('logLevel'), false);
  });

  test('is preceded by a question, whose answer says who the server is in one of two places', () => {
    const answer = { supportedVersions: ['2026-07-28', 7], instructions: 'i', ttlMs: 0 };
    const final = decodeDiscover({
      ...answer,
      _meta: { [`${KEY}serverInfo`]: { name: 's', version: '1' } },
      serverInfo: { name: 'old' },
    });
    assert.deepEqual(final, {
      supportedVersions: ['2026-07-28'],
      capabilities: {},
      info: { name: 's', title: undefined, version: '1', instructions: 'i' },
      freshness: { ttlMs: 0, scope: 'private' },
    });
    assert.equal(decodeDiscover({ ...answer, serverInfo: { name: 'old' } })?.info.name, 'old');
    assert.deepEqual(
      [{}, [], null, { supportedVersions: [] }, { supportedVersions: 'x' }].map(decodeDiscover),
      Array(5).fill(undefined),
    );
  });

  test('may be answered with questions, with a state, with both, and with nothing else', () => {
    const ask = { a: { method: 'roots/list' }, b: { method: 'elicitation/create', params: { message: 'm' } } };
    assert.deepEqual(decodeInputRequired({ inputRequests: ask, requestState: ' s\n' }), {
      inputRequests: {
        a: { method: 'roots/list', params: {} },
        b: { method: 'elicitation/create', params: { message: 'm' } },
      },
      requestState: ' s\n',
    });
    assert.deepEqual(decodeInputRequired({ requestState: '' }), { inputRequests: {}, requestState: '' });
    const wrong = [
      {},
      { requestState: 1 },
      { inputRequests: [] },
      { inputRequests: { a: 7 } },
      { inputRequests: { a: { method: 'x', params: [] } } },
    ];
    assert.deepEqual(wrong.map(decodeInputRequired), Array(5).fill(undefined));
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, { method: 'roots/list' }]));
    assert.equal(decodeInputRequired({ inputRequests: many }), undefined);
  });

  test('that lacks a capability gets its name, with any error code', () => {
    const required = { elicitation: { form: {}, url: {} }, extensions: { [`${KEY}tasks`]: {} }, roots: true };
    assert.deepEqual(requiredCapabilitiesOf({ requiredCapabilities: required }), [
      'elicitation.form',
      'elicitation.url',
      `extensions.${KEY}tasks`,
      'roots',
    ]);
    assert.deepEqual(
      [undefined, [], {}, { requiredCapabilities: [] }].map(requiredCapabilitiesOf),
      Array(4).fill(undefined),
    );
    assert.deepEqual([-32020, -32001, -32602, undefined].map(isHeaderMismatch), [true, true, false, false]);
  });

  test('subscribes to the named kinds, and gets the granted ones', () => {
    assert.deepEqual(
      encodeFilter({ toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: ['a:b'], taskIds: [] }),
      {
        toolsListChanged: true,
        resourceSubscriptions: ['a:b'],
      },
    );
    assert.deepEqual(
      decodeAcknowledged({
        notifications: { toolsListChanged: true, resourceSubscriptions: ['a:b', 7], taskIds: ['t'] },
      }),
      {
        toolsListChanged: true,
        promptsListChanged: false,
        resourcesListChanged: false,
        resourceSubscriptions: ['a:b'],
        taskIds: ['t'],
      },
    );
    const ids = [1, '1', null, undefined].map((id) => subscriptionIdOf({ _meta: { [`${KEY}subscriptionId`]: id } }));
    assert.deepEqual(ids, [1, '1', undefined, undefined]);
  });
});

suite('A task', () => {
  const times = { createdAt: 'c', lastUpdatedAt: 'u' };

  test('is the same thing in both forms', () => {
    const core = decodeCreatedTask({ task: { taskId: 't', status: 'working', ...times, ttl: null, pollInterval: 5 } });
    const extension = decodeCreatedTask({
      resultType: 'task',
      taskId: 't',
      status: 'working',
      ...times,
      ttlMs: null,
      pollIntervalMs: 5,
    });
    assert.ok(core.kind === 'ok' && extension.kind === 'ok');
    const { raw: _one, ...coreTask } = core.value;
    const { raw: _two, ...extensionTask } = extension.value;
    assert.deepEqual(coreTask, extensionTask);
    assert.deepEqual(coreTask, {
      taskId: 't',
      status: 'working',
      statusMessage: undefined,
      ...times,
      ttlMs: undefined,
      pollIntervalMs: 5,
      payload: { kind: 'none' },
    });
  });

  test('of the extension carries what its status promises, and nothing before', () => {
    const payload = (more: JsonObject): unknown => {
      const decoded = decodeTask({ taskId: 't', ...more });
      return decoded.kind === 'ok' ? decoded.value.payload : decoded;
    };
    const inputRequests = { a: { method: 'roots/list' } };
    assert.deepEqual(
      [
        payload({ status: 'completed', result: { content: [] } }),
        payload({ status: 'working', result: { content: [] } }),
        payload({ status: 'failed', error: { code: -32603, message: 'boom', data: [1] } }),
        payload({ status: 'failed', error: {} }),
        payload({ status: 'input_required', inputRequests }),
        payload({ status: 'input_required', inputRequests: [] }),
        payload({ status: 'done' }),
      ],
      [
        { kind: 'result', result: { content: [] } },
        { kind: 'none' },
        { kind: 'error', code: -32603, message: 'boom', data: [1] },
        { kind: 'error', code: -32603, message: '', data: undefined },
        { kind: 'inputs', requests: { a: { method: 'roots/list', params: {} } } },
        { kind: 'none' },
        { kind: 'invalid', why: 'the task has no known "status"' },
      ],
    );
  });

  test('is distinguished from a result', () => {
    const told = [{ resultType: 'task' }, { task: {} }, { content: [], task: {} }, { task: 7 }, {}, null].map((value) =>
      isCreatedTask(value),
    );
    assert.deepEqual(told, [true, true, false, false, false, false]);
    assert.deepEqual(
      (['working', 'input_required', 'completed', 'failed', 'cancelled'] as const).filter((status) =>
        isOver({ status }),
      ),
      ['completed', 'failed', 'cancelled'],
    );
  });

  test('and all else about it is read without a throw, whatever a server says', () => {
    const members = fc.constantFrom(
      'task',
      'taskId',
      'status',
      'inputRequests',
      'requestState',
      'notifications',
      '_meta',
      'error',
      'result',
      'requiredCapabilities',
      'supportedVersions',
    );
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(members, fc.oneof(fc.jsonValue(), fc.constantFrom('failed', 'input_required'))),
    );
    fc.assert(
      fc.property(odd, (given) => {
        const value = given as Json;
        decodeTask(value);
        decodeCreatedTask(value);
        decodeDiscover(value);
        decodeInputRequired(value);
        requiredCapabilitiesOf(value);
        decodeAcknowledged({ notifications: value });
        subscriptionIdOf({ _meta: value });
        envelope(
          { _meta: value },
          { protocolVersion: 'x', clientInfo: { name: 'c', version: '1' }, clientCapabilities: {} },
        );
      }),
    );
  });
});
