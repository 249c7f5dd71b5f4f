import { createRequire } from 'node:module';

/** A row of `bundles.cjs`, which describes the members. */
export interface Bundle {
  readonly to: string;
  readonly entry?: string;
  readonly parts?: readonly string[];
  readonly loadedBy: readonly string[];
}

export const bundles = createRequire(import.meta.url)('../../bundles.cjs') as readonly Bundle[];

/** The sources in which bundles begin. */
export const bundleStarts = bundles.flatMap(({ entry, parts }) => parts ?? entry ?? []);
