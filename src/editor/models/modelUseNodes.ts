import type { ModelBudget } from '../../core/index.ts';
import { COMMANDS, FACETS } from '../shared/ids.ts';
import { budgetText, isOfUse, isSpent, modelText } from './modelBudgetText.ts';
import { LEAF, lines, nodeId, type TreeNode, WARNING_ICON } from '../shared/treeNode.ts';

/** A server's model budget as one row. Empty for a server that uses none. */
export function modelUseNodes(budget: ModelBudget | undefined): readonly TreeNode[] {
  if (budget === undefined || !isOfUse(budget)) return [];
  const { server, model } = budget;
  const description = [...(isSpent(budget) ? ['used up'] : []), budgetText(budget)].join(' · ');
  const node: TreeNode = {
    ...LEAF,
    id: nodeId('models', server),
    kind: 'models',
    server,
    label: 'Language Models',
    description,
    tooltip: lines(
      `Model: ${modelText(model)}`,
      `Used: ${budgetText(budget)}`,
      isSpent(budget)
        ? 'Further requests are refused until the budget has room again. Set the budget with "inference" in its settings.'
        : undefined,
      'Select to see the use of language models.',
    ),
    spoken: `Language Models, ${description}`,
    icon: isSpent(budget) ? WARNING_ICON : { name: 'sparkle' },
    facets: [FACETS.models],
    command: { id: COMMANDS.modelUseShow, title: 'Show Language Model Use' },
  };
  return [node];
}
