import { mkdir } from 'node:fs/promises';
import { type Browser, type Page, chromium } from 'playwright-core';
import { Problem } from './progress.ts';
import { ensureSystem, findBrowser } from './systemPackages.ts';

/**
 * Playwright's own list, which this one replaces, and parts of the browser's window that no test needs: a toolbar page
 * with its own process, and spare processes.
 */
const withoutFeatures = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'SpareRendererForSitePerProcess',
  'InitialWebUI',
  'WebUIReloadButton',
  'WebUITabStrip',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
];

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${withoutFeatures.join(',')}`,
];

export interface OpenBrowser {
  readonly browser: Browser;
  readonly page: Page;
  readonly close: () => Promise<void>;
}

export const openBrowser = async (): Promise<OpenBrowser> => {
  await ensureSystem(['browser']);
  const executablePath = findBrowser();
  if (executablePath === undefined) {
    throw new Problem('No Chromium was found. Install it, or name one in the variable MCPL_TEST_BROWSER.');
  }
  const browser = await chromium.launch({
    executablePath,
    args: flags,
    headless: process.env['MCPL_TEST_HEADED'] === undefined,
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  return { browser, page, close: () => browser.close() };
};

export const takeScreenshot = async (page: Page, folder: string, name: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  const path = `${folder}/${name.replaceAll(/[^\w.-]+/g, '-').slice(0, 100)}.png`;
  await page.screenshot({ path });
  return path;
};
