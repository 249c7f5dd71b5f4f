import assert from 'node:assert/strict';
import type { ModelBudget, ModelUseTotal } from '../../../../src/core/index.ts';
import { modelUseNodes } from '../../../../src/editor/models/modelUseNodes.ts';
import { modelUseText } from '../../../../src/editor/models/modelUseText.ts';
import { statusText } from '../../../../src/editor/servers/statusText.ts';
import { running, snapshot } from '../../../support/serverSnapshots.ts';
import { ARRIVED } from '../events/inboundEvents.ts';

const BUDGET: ModelBudget = {
  server: 'memory',
  isUsing: true,
  model: undefined,
  requestsLastHour: 3,
  requestsPerHour: 30,
  tokensLastDay: 1_200,
  tokensPerDay: 200_000,
};
const SPENT: ModelBudget = { ...BUDGET, server: 'greedy', requestsLastHour: 30, model: 'acme/large' };

const total = (rest: Partial<ModelUseTotal> = {}): ModelUseTotal => ({
  server: 'memory',
  route: 'inference',
  model: 'acme/small',
  requests: 3,
  tokens: 1_200,
  at: ARRIVED,
  ...rest,
});

suite('The use of language models in text', () => {
  test('is one page: what is left to whom, and who used which model for how many tokens', () => {
    const used = [
      total({ server: undefined, route: 'chat', model: 'acme/large', requests: 2, tokens: 34_567 }),
      total(),
      total({ route: 'sampling', model: '', requests: 1, tokens: 9 }),
    ];
    const page = modelUseText({
      isAllowed: true,
      budgets: [BUDGET, SPENT],
      used: [
        { title: 'Within a day', totals: used },
        { title: 'Within seven days', totals: [] },
      ],
    });
    assert.equal(
      page,
      `Servers may use language models in this workspace. To withdraw this: MCP Live: Withdraw Language Model Use.

Remaining budgets of servers
server  model                    requests this hour  tokens today
memory  the first of the editor  3 of 30             1,200 of 200,000
greedy  acme/large               30 of 30            1,200 of 200,000

Within a day
who     for                  model         requests  tokens  last
you     chats with @mcpl     acme/large    2         34,567  2026-11-18 16:04:21
memory  requests of its own  acme/small    3         1,200   2026-11-18 16:04:21
memory  sampling             not recorded  1         9       2026-11-18 16:04:21
All together: 35,776 tokens.

Within seven days
No model was used.

Tokens count input and output, as each model counts them, or as an estimate.
`,
    );
  });

  test('of a server is a row, which says so when nothing is left, and is not there for one that uses none', () => {
    const told = (budget: ModelBudget | undefined): unknown =>
      modelUseNodes(budget).map(({ label, description, icon, spoken, facets }) => [
        label,
        description,
        icon?.name,
        spoken,
        facets,
      ]);
    assert.deepEqual(told(BUDGET), [
      [
        'Language Models',
        '3 of 30 requests this hour, 1,200 of 200,000 tokens today',
        'sparkle',
        'Language Models, 3 of 30 requests this hour, 1,200 of 200,000 tokens today',
        ['models'],
      ],
    ]);
    assert.deepEqual(told(SPENT), [
      [
        'Language Models',
        'used up · 30 of 30 requests this hour, 1,200 of 200,000 tokens today',
        'warning',
        'Language Models, used up · 30 of 30 requests this hour, 1,200 of 200,000 tokens today',
        ['models'],
      ],
    ]);
    const unused = { ...BUDGET, isUsing: false, requestsLastHour: 0, tokensLastDay: 0 };
    assert.deepEqual([told(unused), told(undefined)], [[], []]);
  });

  test('is in the tooltip of the status bar, and counted there when a budget is used up', () => {
    const status = statusText([snapshot('memory', running())], [], { budgets: [BUDGET, SPENT] });
    assert.deepEqual(
      [status.text, status.spoken, status.tooltip.split('\n'), status.isUrgent],
      [
        '$(mcp) 1 $(sparkle) 1',
        'MCP Live: 1 of 1 server running, 1 model budget used up',
        [
          'MCP Live: 1 of 1 server running, 1 model budget used up',
          'memory: running',
          'memory and models: 3 of 30 requests this hour, 1,200 of 200,000 tokens today',
          'greedy and models: 30 of 30 requests this hour, 1,200 of 200,000 tokens today',
        ],
        false,
      ],
    );
  });
});
