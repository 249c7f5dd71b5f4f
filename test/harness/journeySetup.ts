import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EditorName, ensureEditor } from './editorCache.ts';
import { installVsix, installedExtensions } from './editorServer.ts';
import { inProject, outFolder } from './paths.ts';
import { Problem } from './progress.ts';
import { packageFakeModel, projectVersion } from './vsix.ts';

/** Where the extensions of the journeys are installed, by editor. */
export const journeyFolder = (name: EditorName): string => join(outFolder, `journey-${name}`);

/**
 * Installs the packaged extension and the fake model into a fresh folder, like a user, and lists what the editor
 * installed.
 */
export const prepareJourney = async (name: EditorName): Promise<string> => {
  const version = await projectVersion();
  const vsix = inProject(`mcp-live-${version}.vsix`);
  if (!existsSync(vsix)) throw new Problem(`${vsix} does not exist. Run "npm run package" first.`);
  const editor = await ensureEditor(name);
  const folder = journeyFolder(name);
  await rm(folder, { recursive: true, force: true });
  const log = await installVsix(editor, folder, [vsix, await packageFakeModel()]);
  const installed = await installedExtensions(editor, folder);
  const expected = `mcp-live.mcp-live@${version}`;
  if (!installed.includes(expected)) {
    throw new Problem(
      `The editor does not list ${expected} after installing it. It lists: ${installed.join(', ')}.`,
      log,
    );
  }
  return log;
};
