import type { Models, TurnRequest } from '../../src/core/index.ts';

/** A model that answers at once, so that a turn measures only the host and its servers. */
export const models: Models = {
  choose: () =>
    Promise.resolve({
      kind: 'model',
      model: {
        facts: { id: 'bench', vendor: 'bench', contextWindow: 100_000, capabilities: [] },
        run: (_request, onText) => {
          onText('An answer.');
          return Promise.resolve({ kind: 'ended', finishReason: 'end_turn' });
        },
        count: (text) => Promise.resolve(Math.ceil(text.length / 4)),
      },
    }),
};

export const turn = (turnIndex: number): TurnRequest => ({
  conversationId: 'bench',
  turnIndex,
  userMessage: 'What is new?',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What is new?' }] }],
  justification: 'It is measured.',
});
