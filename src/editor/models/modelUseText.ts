import { type ModelBudget, type ModelRoute, type ModelUseTotal } from '../../core/index.ts';
import { timeText } from '../shared/timeText.ts';
import { budgetPart, tokenCountText, modelText } from './modelBudgetText.ts';
import { type Column, textTable } from '../shared/textTable.ts';

/** Model use within a period. */
interface UsedWithin {
  readonly title: string;
  readonly totals: readonly ModelUseTotal[];
}

interface ModelUsePage {
  readonly isAllowed: boolean;
  readonly budgets: readonly ModelBudget[];
  readonly used: readonly UsedWithin[];
}

const ROUTES: { readonly [R in ModelRoute]: string } = {
  inference: 'requests of its own',
  event: 'answers on its events',
  sampling: 'sampling',
  chat: 'chats with @mcpl',
  wrapped: 'wrapped models',
};

const USED: readonly Column<ModelUseTotal>[] = [
  ['who', 32, ({ server }) => server ?? 'you'],
  ['for', 24, ({ route }) => ROUTES[route]],
  ['model', 60, ({ model }) => (model === '' ? 'not recorded' : model)],
  ['requests', 12, ({ requests }) => tokenCountText(requests)],
  ['tokens', 16, ({ tokens }) => tokenCountText(tokens)],
  ['last', 19, ({ at }) => timeText(at)],
];

const BUDGETS: readonly Column<ModelBudget>[] = [
  ['server', 32, ({ server }) => server],
  ['model', 60, ({ model }) => modelText(model)],
  ['requests this hour', 24, ({ requestsLastHour, requestsPerHour }) => budgetPart(requestsLastHour, requestsPerHour)],
  ['tokens today', 32, ({ tokensLastDay, tokensPerDay }) => budgetPart(tokensLastDay, tokensPerDay)],
];

/** Model use by server with tokens, and the remaining budgets. */
export function modelUseText({ isAllowed, budgets, used }: ModelUsePage): string {
  const allowed = isAllowed
    ? 'Servers may use language models in this workspace. To withdraw this: MCP Live: Withdraw Language Model Use.'
    : 'Servers may not use language models on their own in this workspace. To allow it: MCP Live: Allow Language Model Use.';
  const left = budgets.length === 0 ? ['No running server uses models.'] : textTable(BUDGETS, budgets);
  const parts = used.map(({ title, totals }) => [
    title,
    ...(totals.length === 0 ? ['No model was used.'] : textTable(USED, totals)),
    ...(totals.length < 2 ? [] : [`All together: ${tokenCountText(sum(totals))} tokens.`]),
  ]);
  const lines = [
    [allowed],
    ['Remaining budgets of servers', ...left],
    ...parts,
    ['Tokens count input and output, as each model counts them, or as an estimate.'],
  ];
  return `${lines.map((each) => each.join('\n')).join('\n\n')}\n`;
}

function sum(totals: readonly ModelUseTotal[]): number {
  return totals.reduce((all, { tokens }) => all + tokens, 0);
}
