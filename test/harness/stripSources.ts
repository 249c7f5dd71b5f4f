import { existsSync } from 'node:fs';
import { glob, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from './paths.ts';

const { folder, keyOf } = createRequire(import.meta.url)('./preStripped.cjs') as {
  readonly folder: string;
  readonly keyOf: (text: Buffer) => string;
};

await mkdir(folder, { recursive: true });
const wanted = new Set<string>();
for await (const path of glob('{src,test}/**/*.ts', { cwd: projectRoot })) {
  const text = await readFile(join(projectRoot, path));
  const key = keyOf(text);
  wanted.add(key);
  const file = join(folder, key);
  if (existsSync(file)) continue;
  try {
    // Written atomically, because other processes may read it.
    await writeFile(`${file}.new`, stripTypeScriptTypes(text.toString()));
    await rename(`${file}.new`, file);
  } catch {
    // Node cannot strip this file, and reports that when it is loaded.
  }
}
for (const name of await readdir(folder)) if (!wanted.has(name)) await rm(join(folder, name), { force: true });
