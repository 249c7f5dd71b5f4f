import type { Metrics } from './measure.ts';

const HEADING = 'Extension Activation Stats';

/** Reads the table `| Extension | Eager | Load Code | Call Activate | Finish Activate | …` from the editor's page. */
export const readActivationTimes = (page: string): Readonly<Record<string, Metrics>> => {
  const times: Record<string, Metrics> = {};
  const section = page.slice(page.indexOf(HEADING) + HEADING.length).split('\n#')[0] ?? '';
  if (!page.includes(HEADING)) return times;
  for (const line of section.split('\n')) {
    const [, id = '', , load = '', call = '', finish = ''] = line.split('|').map((cell) => cell.trim());
    if (!/^\d+$/.test(load) || !/^\d+$/.test(call)) continue;
    times[id] = { load: Number(load), call: Number(call), finish: Number(finish), total: Number(load) + Number(call) };
  }
  return times;
};
