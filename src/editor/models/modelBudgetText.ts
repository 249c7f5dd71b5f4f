import { cleanLine, type ModelBudget } from '../../core/index.ts';

/** A budget in a few words, for a row or a tooltip. */
export function budgetText({ requestsLastHour, requestsPerHour, tokensLastDay, tokensPerDay }: ModelBudget): string {
  const requests = `${budgetPart(requestsLastHour, requestsPerHour)} requests this hour`;
  return `${requests}, ${budgetPart(tokensLastDay, tokensPerDay)} tokens today`;
}

/** Whether it is used up. */
export function isSpent({ requestsLastHour, requestsPerHour, tokensLastDay, tokensPerDay }: ModelBudget): boolean {
  return requestsLastHour >= requestsPerHour || tokensLastDay >= tokensPerDay;
}

/** Whether to show it: the server uses models, or did. */
export function isOfUse(budget: ModelBudget): boolean {
  return budget.isUsing || budget.requestsLastHour + budget.tokensLastDay > 0;
}

export function modelText(model: string | undefined): string {
  return model === undefined ? 'the first of the editor' : cleanLine(model, 60);
}

export function budgetPart(used: number, of: number): string {
  return `${tokenCountText(used)} of ${tokenCountText(of)}`;
}

export function tokenCountText(value: number): string {
  return value.toLocaleString('en');
}
