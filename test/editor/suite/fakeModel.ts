import * as vscode from 'vscode';
import type { FakeModelApi } from '../../extensions/fakeModel/api.ts';

/** The scriptable model after a reset, so that a test only sees its own requests. */
export const fakeModel = async (): Promise<FakeModelApi> => {
  const extension = vscode.extensions.getExtension<FakeModelApi>('mcp-live-test.fake-model');
  if (extension === undefined)
    throw new Error('The fake model extension is not loaded: run these tests with "npm run test:editor".');
  const api = await extension.activate();
  api.reset();
  return api;
};

export const selectFake = async (id: 'sees' | 'reads' = 'sees'): Promise<vscode.LanguageModelChat> => {
  const [chosen] = await vscode.lm.selectChatModels({ vendor: 'fake', id });
  if (chosen === undefined) throw new Error(`The fake model "${id}" is not offered.`);
  return chosen;
};
