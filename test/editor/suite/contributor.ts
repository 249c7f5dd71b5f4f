import * as vscode from 'vscode';
import type { Contributor } from '../../extensions/contributor/extension.ts';

/** Another extension that uses the API: "Acme Tools". */
export const contributor = async (): Promise<Contributor> => {
  const extension = vscode.extensions.getExtension<Contributor>('mcp-live-test.contributor');
  if (extension === undefined)
    throw new Error('The contributor is not loaded: run these tests with "npm run test:editor".');
  return extension.activate();
};
