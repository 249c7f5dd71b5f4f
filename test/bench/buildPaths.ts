import { join } from 'node:path';
import { outFolder } from '../harness/paths.ts';

export const benchFolder = join(outFolder, 'bench');
export const buildFolder = join(benchFolder, 'build');

/** The product as it ships, in a folder that the editor can load as an extension. */
export const builtExtension = join(buildFolder, 'product');
export const builtExtensionCode = join(builtExtension, 'dist/extension.js');
/** The bundle that it loads at once, so a window reads both at the start. */
export const builtHostCore = join(builtExtension, 'dist/hostCore.js');
export const builtHost = join(builtExtension, 'dist/host.cjs');
export const emptyExtension = join(buildFolder, 'empty');
export const builtSdk = join(buildFolder, 'sdk1.cjs');
export const builtSdk2 = join(buildFolder, 'sdk2.cjs');
export const builtNothing = join(buildFolder, 'nothing.cjs');
