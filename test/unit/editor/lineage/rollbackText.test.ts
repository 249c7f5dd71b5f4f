import assert from 'node:assert/strict';
import type { RollbackResult } from '../../../../src/core/index.ts';
import { continueQuestion, rollbackOutcome, rollbackQuestion } from '../../../../src/editor/lineage/rollbackText.ts';
import { AT, line, node, plan } from './lineageFakes.ts';

const FACTS = { keeper: 'host', now: AT } as const;

suite('A rollback', () => {
  test('is asked for with what it leaves, what it undoes, and what it does not', () => {
    const tools = [
      { tool: 'edit', count: 8, reachesOut: false },
      { tool: 'send_mail', count: 1, reachesOut: true },
    ];
    const question = rollbackQuestion(plan({ left: line(9), leftCount: 9, tools }), FACTS);
    assert.deepEqual(question.choices, ['rollBack']);
    assert.equal(question.message, 'Roll notes (notes.edit) back to chk_b?');
    assert.equal(
      question.detail,
      [
        'It was made by edit, 2026-11-18 15:59:21, 5 min ago.',
        '9 checkpoints are left behind, made by edit (8 times), send_mail. They stay as a branch, and you can go back to it.',
        'What is undone:\n' +
          '• What the server itself can undo: it is asked to go back to chk_b.\n' +
          '• The state that MCP Live keeps: the next call is sent with that of chk_b.\n' +
          '• Chats at a checkpoint that is left behind go back too.',
        'What is not undone:\n' +
          '• Effects outside this state: written files, sent messages, and anything else that tools did.\n' +
          '• According to their server, these tools may have had such effects: send_mail.',
        'The server may refuse. Then nothing moves.',
      ].join('\n\n'),
    );
  });

  test('says of a server that keeps its state only what the server can do', () => {
    const { detail } = rollbackQuestion(plan(), { ...FACTS, keeper: 'server' });
    assert.doesNotMatch(detail, /MCP Live keeps/);
    assert.doesNotMatch(detail, /left,/);
  });

  test('names only some of very many, and says so', () => {
    const tools = Array.from({ length: 9 }, (_, at) => ({ tool: `t${at}`, count: 2, reachesOut: false }));
    const { detail } = rollbackQuestion(plan({ left: line(200), leftCount: 4_321, tools, isBack: false }), FACTS);
    assert.match(
      detail,
      /It is on another branch\. 4,321 checkpoints are left behind, the newest 200 of them made by t0 \(2 times\), .*, t5 \(2 times\), 3 other tools\./,
    );
  });

  test('to where one stands says so', () => {
    const target = node('chk_d');
    const { detail } = rollbackQuestion(plan({ target, head: target }), FACTS);
    assert.match(detail, /^It is the current checkpoint\. It was made by edit/);
  });

  test('that the server cannot be asked for is offered as going on without it', () => {
    const hindered = rollbackQuestion(plan({ hindrance: 'The server does not run. Start it first.' }), FACTS);
    assert.deepEqual(
      [hindered.message, hindered.choices],
      ['The server cannot be asked to go back to chk_b.', ['continue']],
    );
    assert.equal(hindered.detail.split('\n\n')[0], 'The server does not run. Start it first.');
    assert.equal(
      hindered.detail.split('\n\n').at(-1),
      'Continue from Here does not ask the server: the next call is sent with the state of chk_b. It does not undo anything that was done.',
    );
    const pruned = rollbackQuestion(plan({ target: node('chk_b', { isPruned: true }), canContinue: false }), FACTS);
    assert.deepEqual(
      [pruned.choices, pruned.detail.split('\n\n')[0], pruned.detail.split('\n\n').at(-1)],
      [[], 'The server said that it no longer has this checkpoint.', 'It is not possible to continue from it either.'],
    );
  });

  test('is not what continuing is, and that is said', () => {
    const { message, detail, choices } = continueQuestion(plan(), { ...FACTS, keeper: 'server' });
    assert.deepEqual(choices, ['continue']);
    assert.match(message, /^Continue notes \(notes\.edit\) from chk_b\?$/);
    assert.match(detail, /the next call names chk_b to the server\. It does not undo anything that was done\.$/);
    const broken = plan({ target: node('chk_b', { problem: 'It does not fit.' }), canContinue: false });
    assert.deepEqual(continueQuestion(broken, FACTS), {
      message: 'It is not possible to continue from chk_b.',
      detail: 'It does not fit.\n\nChoose a checkpoint that has a state.',
      choices: [],
    });
  });

  test('ends with what happened, what did not, and the next step', () => {
    const head = node('chk_x', { name: 'x' });
    const results: readonly RollbackResult[] = [
      { kind: 'rolledBack', head },
      { kind: 'elsewhere', head, asked: node('chk_b') },
      { kind: 'refused', reason: 'The mail\nwas [sent](command:x)', canContinue: true },
      { kind: 'refused', reason: '', canContinue: false },
      { kind: 'pruned', canContinue: true },
      { kind: 'unanswered', reason: 'No answer came within 30 seconds.', canContinue: true },
    ];
    assert.deepEqual(
      results.map((result) => {
        const { text, isGood, offers } = rollbackOutcome(plan(), result);
        return `${isGood ? 'good' : 'bad'}: ${text} [${offers.join()}]`;
      }),
      [
        'good: notes (notes.edit) is back at chk_x "x". The next checkpoint starts a new branch. [showLineage]',
        'good: notes (notes.edit) went back, and says that it is now at chk_x "x" instead of chk_b. It continues from there. [showLineage]',
        'bad: notes (notes.edit) could not go back to chk_b: "The mail was [sent] (command:x)". Nothing moved. You can continue from it, which undoes nothing that was done. [continue,showLog]',
        'bad: notes (notes.edit) could not go back to chk_b. Nothing moved. [showLog]',
        'bad: notes (notes.edit) no longer has chk_b, and cannot go back to it. Nothing moved. You can continue from it, which undoes nothing that was done. [continue,showLog]',
        'bad: It is unknown whether notes (notes.edit) went back to chk_b: "No answer came within 30 seconds." Nothing moved here. Look into its log, then roll back again. You can continue from it, which undoes nothing that was done. [continue,showLog]',
      ],
    );
  });
});
