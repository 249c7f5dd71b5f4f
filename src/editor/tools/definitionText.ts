import type { ToolTarget } from '../shared/services.ts';
import { plainText } from '../shared/plainText.ts';

const MOST_NAMED = 3;

/** The question is short: the names are a server's, and could say anything. */
export function reviewTitle(changed: readonly ToolTarget[]): string {
  const isOne = changed.length === 1;
  const what = isOne
    ? `changed the definition of ${named(changed)}`
    : `changed the definitions of ${changed.length} tools (${named(changed)})`;
  const until = isOne ? 'the change' : 'the changes';
  return `${serversOf(changed)} ${what}. You are asked before each call until you approve ${until}.`;
}

export function reviewQuestion(changed: readonly ToolTarget[]): string {
  const what = changed.length === 1 ? 'the definition shown' : `the ${changed.length} definitions shown`;
  return `Approve ${what}? Models then call ${named(changed)} of ${serversOf(changed)} without asking.`;
}

export function frequentText(changed: readonly ToolTarget[]): { readonly message: string; readonly detail: string } {
  const message = `Approve any definition of ${named(changed)} of ${serversOf(changed)}?`;
  const detail =
    'The definition changed at each of the last three starts. If you approve any definition, models call the tool ' +
    'without asking after each further change. The server can then change what the tool does, take other arguments, ' +
    'or put instructions for models into the description.';
  return { message, detail };
}

function named(changed: readonly ToolTarget[]): string {
  const names = [...new Set(changed.map(({ tool }) => `"${plainText(tool, 64)}"`))];
  const more = names.length - MOST_NAMED;
  return [...names.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function serversOf(changed: readonly ToolTarget[]): string {
  const names = [...new Set(changed.map(({ server }) => `"${plainText(server, 64)}"`))];
  return names.length > MOST_NAMED ? `${names.length} servers` : names.join(', ');
}
