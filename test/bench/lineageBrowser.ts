import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { CDPSession, Page } from 'playwright-core';
import { openBrowser } from '../harness/browser.ts';
import type { Metrics } from './measure.ts';
import { median } from './statistics.ts';
import { type Theme, themeStyle } from './lineageThemes.ts';

/** The page of a lineage as it ships. */
export interface LineagePageFiles {
  readonly script: string;
  readonly style: string;
}

export const lineagePageFiles = (product: string): LineagePageFiles => ({
  script: join(product, 'dist/webview/lineage.js'),
  style: join(product, 'media/lineage.css'),
});

export const LARGE = 100_000;
/** The most that can still be drawn at once. */
export const WHOLE = 10_000;
const FRAMES = 240;
const STEP = 180;
const THROTTLE = 4;
/** Simulated latency of answers from another process. None is added for end-to-end times. */
const LATENCY = { scrolling: 8, painting: 0 } as const;

let probe: Promise<string> | undefined;

const builtProbe = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'lineageProbe.mjs')],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2023',
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
};

/** An empty page with the editor's colors and the stub, to which the page's script is added later. */
export const openStub = async (page: Page, style: string, theme: Theme): Promise<void> => {
  probe ??= builtProbe();
  const sheet = `${await readFile(style, 'utf8')}\n${themeStyle(theme)}`;
  await page.setContent(`<!doctype html><html><head><style>${sheet}</style></head><body></body></html>`);
  await page.addScriptTag({ content: await probe });
};

const call = async <T>(page: Page, name: string, ...args: readonly (string | number)[]): Promise<T> => {
  const list = args.map((arg) => JSON.stringify(arg)).join(', ');
  return page.evaluate<T>(`lineageBench.${name}(${list})`);
};

/** Gives the page a stub editor with this many checkpoints and this latency. */
export const openEditor = (page: Page, count: number, latency = 0): Promise<void> => call(page, 'open', count, latency);

/** Returns once the page is visible: milliseconds from end to end. */
export const startPage = async (page: Page, { script }: LineagePageFiles): Promise<number> =>
  call<number>(page, 'start', await readFile(script, 'utf8'));

/** CPU time of the page's main thread in milliseconds, including style, layout and painting. */
const worked = async (session: CDPSession, work: () => Promise<unknown>): Promise<number> => {
  const total = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN;
  };
  const before = await total();
  await work();
  return ((await total()) - before) * 1000;
};

const APPENDED = { page: 12, svg: 3 } as const;

const appended = async (page: Page, session: CDPSession, name: string, count: number): Promise<Metrics> => {
  const wall: number[] = [];
  const work: number[] = [];
  for (let turn = 0; turn < count; turn++) {
    work.push(await worked(session, async () => wall.push(await call<number>(page, name))));
  }
  return { append: median(work), appendWall: median(wall) };
};

const scrolled = async (page: Page, session: CDPSession): Promise<Metrics> => {
  await session.send('Emulation.setCPUThrottlingRate', { rate: THROTTLE });
  let result: Record<string, number> = {};
  const work = await worked(session, async () => (result = await call(page, 'scroll', FRAMES, STEP)));
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  if (result['scrolled'] !== FRAMES * STEP) throw new Error(`It scrolled by ${result['scrolled']} px only.`);
  return { dropped: result['dropped'] ?? Number.NaN, waiting: result['waiting'] ?? Number.NaN, each: work / FRAMES };
};

const opened = async <T>(work: (page: Page, session: CDPSession) => Promise<T>): Promise<T> => {
  const { page, close } = await openBrowser();
  try {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    return await work(page, session);
  } finally {
    await close();
  }
};

const measurePage = (files: LineagePageFiles): Promise<Metrics> =>
  opened(async (page, session) => {
    await openStub(page, files.style, 'dark');
    await openEditor(page, LARGE, LATENCY.painting);
    let paint = Number.NaN;
    const paintWork = await worked(session, async () => (paint = await startPage(page, files)));
    const append = await appended(page, session, 'append', APPENDED.page);
    await openStub(page, files.style, 'dark');
    await openEditor(page, LARGE, LATENCY.scrolling);
    await startPage(page, files);
    return { paint, paintWork, ...append, ...(await scrolled(page, session)) };
  });

const measureAll = (files: LineagePageFiles): Promise<Metrics> =>
  opened(async (page, session) => {
    await openStub(page, files.style, 'dark');
    await openEditor(page, WHOLE, LATENCY.painting);
    let paint = Number.NaN;
    const paintWork = await worked(session, async () => (paint = await call<number>(page, 'startAll')));
    const append = await appended(page, session, 'appendAll', APPENDED.svg);
    return { paint, paintWork, ...append, ...(await scrolled(page, session)) };
  });

export const lineageVariants: Readonly<Record<string, (files: LineagePageFiles) => Promise<Metrics>>> = {
  page: measurePage,
  svg: measureAll,
};
