import assert from 'node:assert/strict';
import { hear } from '../../../src/demo/listeners.ts';
import { cpuTime } from '../../support/cpuTime.ts';

function heard(message: string): readonly string[] {
  const { memories, reminders } = hear(message);
  return [
    ...memories.map(({ kind, text }) => `${kind}: ${text}`),
    ...reminders.map(({ text, seconds }) => `in ${seconds} s: ${text}`),
  ];
}

suite('Facts and reminders in a message', () => {
  for (const [message, ...expected] of [
    ['My name is Ada.', "name: The user's name is Ada."],
    ['hello, my name is Ada Lovelace and I write', "name: The user's name is Ada Lovelace."],
    ["my name's ada", "name: The user's name is ada."],
    ['Please call me Zoë!', "name: The user's name is Zoë."],
    ['I’m called Jean-Luc', "name: The user's name is Jean-Luc."],
    ['I prefer short answers, without lists.', 'preference: The user prefers short answers, without lists.'],
    [
      'I really prefer tea and my name is Bob. My favourite color is dark green!',
      "name: The user's name is Bob.",
      'preference: The user prefers tea.',
      "preference: The user's favorite color is dark green.",
    ],
    ['Remember that the key is under the mat.', 'fact: The user said: the key is under the mat.'],
    ['please remember: I like long walks', 'fact: The user said: I like long walks.'],
    ['Remember that I prefer tea.', 'preference: The user prefers tea.'],
    ['One thing.\nRemember that my name is Ada.\n\nThanks', "name: The user's name is Ada."],
    ['Remind me in 10 seconds to stretch.', 'in 10 s: stretch'],
    ['Can you remind me in a minute to drink water?', 'in 60 s: drink water'],
    ['remind me to call Bob in 2 h, please', 'in 7200 s: call Bob'],
    ['Remind me in 5 mins about the oven', 'in 300 s: the oven'],
  ] as const)
    test(JSON.stringify(message), () => assert.deepEqual(heard(message), expected));

  for (const message of [
    '',
    'What is my name?',
    'My name is not important.',
    'Call me later.',
    'Do you remember that Bob lives in Oslo?',
    'I remember that it rained.',
    'Do I prefer tea?',
    'She prefers tea.',
    'Remind me to stretch.',
    'In 10 seconds the train leaves.',
  ])
    test(`nothing in "${message}"`, () => assert.deepEqual(heard(message), []));

  test('no more than the beginning of a long text, in little time', () => {
    const long = `${'my favourite a is remind me to call me I prefer remember that '.repeat(2_000)}. My name is Ada.`;
    const started = cpuTime();
    assert.equal(
      heard(long).some((line) => line.includes('Ada')),
      false,
    );
    assert.ok(cpuTime() - started < 1_000);
  });
});
