import { cleanLine, type Contributor } from '../../core/index.ts';
import { plainText } from './plainText.ts';

/** `"Acme Tools" (acme.tools)`: anybody may take the name, nobody the id of another extension. */
export function contributorText({ id, name }: Contributor): string {
  return `"${plainText(cleanLine(name, 60))}" (${plainText(cleanLine(id, 100))})`;
}
