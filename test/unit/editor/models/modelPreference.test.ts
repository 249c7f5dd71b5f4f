import assert from 'node:assert/strict';
import {
  type ModelCandidate,
  type PreferredModels,
  modelSize,
  preferredModel,
} from '../../../../src/editor/models/modelPreference.ts';

const model = (id: string, maxInputTokens = 1_000, vendor = 'here'): ModelCandidate => ({
  id,
  name: id,
  family: 'family',
  vendor,
  maxInputTokens,
});

const MODELS = [model('middle-1'), model('small-1'), model('Big-2', 1_000, 'there'), model('giant-pro', 5_000)];

type Preferences = Partial<PreferredModels['preferences']>;

const chosen = (preferences: Preferences, setting?: string, models = MODELS): string | undefined => {
  const given = { hints: [], cost: undefined, speed: undefined, intelligence: undefined, ...preferences };
  return models[preferredModel(models, { preferences: given, model: setting })]?.id;
};

suite('The model for a prompt of a server', () => {
  test('is the one that the hints name best, the first hint before all others, part of a name being enough', () => {
    assert.deepEqual(
      [
        chosen({}),
        chosen({ hints: ['BIG'] }),
        chosen({ hints: ['unknown', 'there/'] }),
        chosen({ hints: ['unknown'] }),
        chosen({ hints: ['', ' ', 'giant', 'small'] }),
        chosen({ hints: ['x'] }, undefined, []),
      ],
      ['middle-1', 'Big-2', 'Big-2', 'middle-1', 'giant-pro', undefined],
    );
  });

  test('is by hints, then by the settings, then by priorities', () => {
    assert.deepEqual(
      [
        chosen({ hints: ['giant'], cost: 1 }, 'small'),
        chosen({ hints: ['unknown'], intelligence: 1 }, 'small'),
        chosen({ intelligence: 1 }, 'unknown'),
        chosen({ cost: 1 }, 'unknown'),
      ],
      ['giant-pro', 'small-1', 'giant-pro', 'small-1'],
    );
  });

  test('is small where cost or speed weigh most, large where intelligence does, and the first where none does', () => {
    assert.deepEqual(
      [
        chosen({ cost: 0.3 }),
        chosen({ speed: 0.9, intelligence: 0.8 }),
        chosen({ cost: 0.2, speed: 0.1, intelligence: 0.3 }),
        chosen({ cost: 0.5, intelligence: 0.5 }),
        chosen({ cost: 0, speed: 0, intelligence: 0 }),
        // Values beyond the range are clamped.
        chosen({ cost: 7, intelligence: 1 }),
        chosen({ cost: -7, intelligence: 0.1 }),
        chosen({ cost: Number.NaN, intelligence: 0.1 }),
      ],
      ['small-1', 'small-1', 'giant-pro', 'middle-1', 'middle-1', 'middle-1', 'giant-pro', 'giant-pro'],
    );
  });

  test('is, of two whose names say nothing, the one that reads more or less', () => {
    const models = [model('a', 10), model('b', 30), model('c', 5)];
    assert.deepEqual([chosen({ intelligence: 1 }, '', models), chosen({ speed: 1 }, '', models)], ['b', 'c']);
  });

  test('is guessed to be small or large by words of its name alone', () => {
    const sizes = [
      'gpt-5-mini',
      'claude-haiku-4',
      'gemini-2.5-flash',
      'qwen2.5-7b',
      'pro-mini',
      'gpt-5',
      'minimax',
      'opus',
    ];
    assert.deepEqual(
      [...sizes, 'gemini-2.5-pro', 'llama-70b', 'llama-405B', 'mixtral-22b'].map(
        (id) => `${id} ${modelSize(model(id))}`,
      ),
      [
        'gpt-5-mini 0',
        'claude-haiku-4 0',
        'gemini-2.5-flash 0',
        'qwen2.5-7b 0',
        'pro-mini 0',
        'gpt-5 1',
        'minimax 1',
        'opus 2',
        'gemini-2.5-pro 2',
        'llama-70b 2',
        'llama-405B 2',
        'mixtral-22b 1',
      ],
    );
  });
});
