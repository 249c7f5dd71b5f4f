import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of esbuild's metafile that lists the files in a bundle. */
export interface Metafile {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license?: string | undefined;
  readonly author?: string | undefined;
  /** The license files that the package ships. */
  readonly texts: readonly string[];
  readonly readme: string;
}

const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const licenseFile = /^(licen[cs]e|copying|notice|third-?party-?notices?)([.-][\w.-]+)?$/i;

/** The folders of the packages in any of these bundles, in order. */
export const bundledFolders = (metafiles: Readonly<Record<string, Metafile>>): readonly string[] => {
  const folders = new Set<string>();
  for (const { outputs } of Object.values(metafiles)) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        const folder = bytesInOutput > 0 ? packageFolder.exec(path)?.[0] : undefined;
        if (folder !== undefined) folders.add(folder);
      }
    }
  }
  return [...folders].sort();
};

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: unknown;
  readonly author?: unknown;
}

const authorOf = (author: unknown): string | undefined => {
  if (typeof author === 'string') return author;
  const name = typeof author === 'object' && author !== null && 'name' in author ? author.name : undefined;
  return typeof name === 'string' ? name : undefined;
};

/** Reads what a package says about its license from its folder. */
export const readPackage = (folder: string): BundledPackage => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const files = readdirSync(folder).sort();
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8').trim();
  const readme = files.find((file) => /^readme(\.\w+)?$/i.test(file));
  return {
    name: manifest.name,
    version: manifest.version,
    license: typeof manifest.license === 'string' ? manifest.license : undefined,
    author: authorOf(manifest.author),
    texts: files.filter((file) => licenseFile.test(file)).map(read),
    readme: readme === undefined ? '' : read(readme),
  };
};

/** The copyright line of a package that ships no license file. */
const copyright = ({ readme, author }: BundledPackage): string | undefined => {
  const line = /^\W*(copyright\s.*\d{4}.*)$/im.exec(readme)?.[1];
  if (line !== undefined) return line.trim();
  return author === undefined ? undefined : `Copyright (c) ${author.replace(/\s*[<(].*$/, '')}`;
};

const licenseText = (item: BundledPackage, mit: string): string | undefined => {
  if (item.texts.length > 0) return item.texts.join('\n\n');
  const line = copyright(item);
  return item.license === 'MIT' && line !== undefined ? `${line}\n\n${mit}` : undefined;
};

export interface Notices {
  readonly text: string;
  /** One sentence for each package whose license text is missing. */
  readonly problems: readonly string[];
}

/**
 * The notices for these packages. `mit` holds the terms of the MIT license, for packages that declare it and ship no
 * text of it.
 */
export const thirdPartyNotices = (packages: readonly BundledPackage[], mit: string): Notices => {
  const problems: string[] = [];
  const sections = packages
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map((item) => {
      const text = licenseText(item, mit);
      if (text === undefined) {
        problems.push(`${item.name} ${item.version} is bundled, but has no license text. Remove it from the bundle.`);
      }
      return `${item.name} ${item.version} (${item.license ?? 'license below'})\n\n${text ?? ''}\n`;
    });
  const intro = 'MCP Live includes the following third-party packages. Each is listed with its license.\n';
  return { text: [intro, ...sections].join(`\n${'-'.repeat(80)}\n\n`), problems };
};

/** The terms of the MIT license without the copyright line, from a LICENSE file. */
export const mitTerms = (license: string): string =>
  license.slice(license.indexOf('Permission is hereby granted')).trim();
