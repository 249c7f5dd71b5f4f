import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from './progress.ts';

/**
 * code-server lets every extension use proposed API, so a test there would not notice that the extension depends on one.
 * The gate is the function called just before the text "CANNOT use API proposal": its body became `return!0`.
 */
export const restoreApiGate = (source: string): string | undefined => {
  const call =
    /function [\w$]+\(([\w$]+),([\w$]+)\)\{if\(!([\w$]+)\(\1,\2\)\)throw new Error\(`Extension '[^`]{0,80}CANNOT use API proposal/;
  const name = call.exec(source)?.[3];
  if (name === undefined) return undefined;
  const gate = new RegExp(`function ${name.replaceAll('$', '\\$')}\\(([\\w$]+),([\\w$]+)\\)\\{return!0\\}`);
  const [text, extension, proposal] = gate.exec(source) ?? [];
  if (text === undefined) return undefined;
  const asked = `${extension}.enabledApiProposals`;
  const restored = `function ${name}(${extension},${proposal}){return!!(${asked}&&${asked}.includes(${proposal}))}`;
  return source.replace(text, () => restored);
};

const guarded = [
  'out/vs/workbench/api/node/extensionHostProcess.js',
  'out/vs/code/browser/workbench/workbench.js',
] as const;

export const restoreApiGateIn = async (vscodeFolder: string): Promise<void> => {
  for (const file of guarded) {
    const path = join(vscodeFolder, file);
    const restored = restoreApiGate(await readFile(path, 'utf8'));
    if (restored === undefined) {
      throw new Problem(
        `The proposed-API gate was not found in ${file}, so tests could use proposed API unnoticed. ` +
          'Look for the function called before "CANNOT use API proposal" and adjust test/harness/apiGate.ts.',
      );
    }
    await writeFile(path, restored);
  }
};
