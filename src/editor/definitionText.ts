import type { ToolTarget } from './services.ts';
import { plainText } from './plainText.ts';

const MOST_NAMED = 3;

/** The question is short: the names are a server's, and could say anything. */
export function reviewTitle(changed: readonly ToolTarget[]): string {
  const what =
    changed.length === 1
      ? `changed the definition of ${named(changed)}`
      : `changed the definitions of ${changed.length} tools (${named(changed)})`;
  const rest =
    changed.length === 1
      ? 'It asks first until you approve the change.'
      : 'They ask first until you approve the changes.';
  return `${serversOf(changed)} ${what}, which models may call without asking. ${rest}`;
}

export function reviewQuestion(changed: readonly ToolTarget[]): string {
  const definitions = changed.length === 1 ? 'the definition' : `the ${changed.length} definitions`;
  return `Let models call ${named(changed)} of ${serversOf(changed)} without asking, with ${definitions} shown?`;
}

export function frequentText(changed: readonly ToolTarget[]): { readonly message: string; readonly detail: string } {
  const message = `Let models call ${named(changed)} of ${serversOf(changed)} without asking, whatever the definition says?`;
  const detail =
    'The definition changed at each of the last three starts. If you approve any definition, the server can change what ' +
    'the tool does, take other arguments, or put instructions for models into the description, and you are not asked again.';
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
