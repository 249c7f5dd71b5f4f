import { cleanLine, type Contributor } from '../../core/index.ts';
import { plainText } from './plainText.ts';

/** `"Acme Tools" (acme.tools)`: names are not unique, but ids are. */
export function contributorText({ id, name }: Contributor): string {
  return `"${plainText(cleanLine(name, 60))}" (${plainText(cleanLine(id, 100))})`;
}
