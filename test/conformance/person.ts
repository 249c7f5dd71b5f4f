import type { AuthBrowser, AuthPrompt, Elicitor, Sampler } from '../../src/core/index.ts';

/** Accepts every form with its initial values. */
export const elicitor: Elicitor = {
  form: ({ values }) => Promise.resolve({ kind: 'accept', values }),
  url: () => Promise.resolve('decline'),
  finish: () => Promise.resolve('cancel'),
  finished: () => undefined,
};

export const sampler: Sampler = {
  canUseTools: false,
  sample: () => Promise.resolve({ kind: 'unavailable', reason: 'There is no model here.' }),
};

export const authPrompt: AuthPrompt = { consent: () => Promise.resolve(true) };

/** Signs in without input, because the suite's authorization pages only redirect. */
const visit = async (url: string): Promise<void> => {
  const page = await fetch(url, { redirect: 'manual' });
  await page.body?.cancel();
  const location = page.headers.get('location');
  if (location === null) return;
  const back = await fetch(new URL(location, url));
  await back.body?.cancel();
};

export const authBrowser: AuthBrowser = {
  open: (url) => {
    visit(url).catch((error: unknown) => process.stderr.write(`The page did not open: ${String(error)}\n`));
    return Promise.resolve(true);
  },
};
