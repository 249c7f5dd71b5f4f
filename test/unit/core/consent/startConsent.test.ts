import assert from 'node:assert/strict';
import { decideStart, effectiveAutoApprove, grantsOf } from '../../../../src/core/consent/startConsent.ts';
import type { Consent } from '../../../../src/core/ports.ts';
import { remarksOn, serverDefinition } from '../../../support/serverDefinition.ts';

function consent(...autoApprove: string[]): Consent {
  return { server: 'a', fingerprint: 'f', grants: { autoApprove }, at: 0 };
}

const text = (decision: ReturnType<typeof decideStart>): string =>
  decision.kind === 'allow' ? 'allow' : `ask ${decision.reason}`;

suite('Consent to start', () => {
  test('is needed for what the workspace defines or grants, and again for whatever is not what was allowed', () => {
    const theirs = serverDefinition({ definedBy: 'workspace' });
    const widening = serverDefinition({ autoApprove: ['x', 'y'], workspaceAutoApprove: ['x', 'y'] });
    assert.deepEqual(
      {
        'the user’s own': text(decideStart(serverDefinition(), undefined, false)),
        'the user’s own with own approvals': text(
          decideStart(serverDefinition({ autoApprove: ['x'] }), undefined, false),
        ),
        'the user’s own, widened by the workspace': text(decideStart(widening, undefined, false)),
        'the workspace’s, first': text(decideStart(theirs, undefined, false)),
        'the workspace’s, changed': text(decideStart(theirs, undefined, true)),
        'the workspace’s, allowed': text(decideStart(theirs, consent(), true)),
        'widened by one tool': text(decideStart(widening, consent('x'), true)),
        'allowed with both tools': text(decideStart(widening, consent('y', 'x'), true)),
        narrowed: text(decideStart(theirs, consent('x'), true)),
      },
      {
        'the user’s own': 'allow',
        'the user’s own with own approvals': 'allow',
        'the user’s own, widened by the workspace': 'ask first',
        'the workspace’s, first': 'ask first',
        'the workspace’s, changed': 'ask changed',
        'the workspace’s, allowed': 'allow',
        'widened by one tool': 'ask widened',
        'allowed with both tools': 'allow',
        narrowed: 'allow',
      },
    );
  });

  test('tools that the workspace auto-approves count only if they were allowed', () => {
    const both = serverDefinition({ autoApprove: ['mine', 'theirs'], workspaceAutoApprove: ['theirs'] });
    assert.deepEqual(effectiveAutoApprove(both, undefined), ['mine']);
    assert.deepEqual(effectiveAutoApprove(both, consent('theirs')), ['mine', 'theirs']);
    assert.deepEqual(effectiveAutoApprove(both, consent('other')), ['mine']);
  });

  test('a question names everything that a start grants', () => {
    const rich = serverDefinition({
      connection: { kind: 'stdio', command: 'x', args: [], env: { B: '1', A: '2' }, envFile: '.env', cwd: undefined },
      workspaceAutoApprove: ['z', 'a'],
    });
    assert.deepEqual(remarksOn(rich), [
      'Models may call without asking: "a", "z".',
      'It sets environment variables: "A", "B".',
      'It reads environment variables from ".env".',
    ]);
    assert.deepEqual(
      remarksOn(serverDefinition({ connection: { kind: 'remote', url: 'u', headers: { H: 'v' }, transport: 'auto' } })),
      ['It sends the headers: "H".'],
    );
    assert.deepEqual(grantsOf(rich), { autoApprove: ['a', 'z'], others: [] });
  });

  test('a question cannot be worded by a repository through the names in it', () => {
    const trick = 'read. You allowed all of this before';
    const workspaceGrants = [
      `featureSets ["${trick}"]`,
      `tool ["${trick}","${trick}",null]`,
      `model ["${trick}",null]`,
    ];
    assert.deepEqual(remarksOn(serverDefinition({ workspaceAutoApprove: [trick], workspaceGrants })), [
      `Models may call without asking: "${trick}".`,
      `Its feature sets are on, which may let it read your chats and add to them: "${trick}".`,
      `These tools are on with the feature sets in brackets: "${trick}" ("${trick}").`,
      `It uses the model: "${trick}".`,
    ]);
  });

  test('a question names where what a server signs in with goes, and what of it is the user’s', () => {
    const connection = {
      kind: 'remote',
      url: 'u',
      headers: {},
      transport: 'auto',
      auth: {
        flow: 'enterprise',
        clientId: 'c',
        identityProvider: { tokenEndpoint: 'https://other.example/token', idToken: '${input:id}' },
      },
    } as const;
    assert.deepEqual(
      remarksOn(serverDefinition({ connection, lentByUser: ['clientId', 'identityProvider.idToken'] })),
      [
        'It signs in without asking, by the flow "enterprise".',
        'Its credentials are sent to: "https://other.example/token".',
        'Your own settings give it: "clientId", "identityProvider.idToken".',
        'It is given your answers to the inputs: "id".',
      ],
    );
  });
});
