// Runs in the browser with the page, or with a drawing of everything, and measures both in the same way.
import { StubEditor } from './lineageStub.ts';

const FRAME_MS = 1000 / 60;
const ROW = 22;
const LANE = 11;
const { document, window } = globalThis;

let editor;

const frame = () => new Promise((resolve) => globalThis.requestAnimationFrame(resolve));

/** Resolves when the change is on the screen: a task posted at the start of a frame runs after the frame is painted. */
const painted = async () => {
  await frame();
  const { port1, port2 } = new globalThis.MessageChannel();
  const after = new Promise((resolve) => (port1.onmessage = resolve));
  port2.postMessage(0);
  await after;
  port1.close();
};

const MAX_FRAMES = 600;

const paintedWhen = async (isThere) => {
  for (let turn = 0; turn < MAX_FRAMES; turn++) {
    await painted();
    if (isThere()) return performance.now();
  }
  throw new Error('What was waited for did not come.');
};

const later = (latency, work) => {
  if (latency > 0) return void globalThis.setTimeout(work, latency);
  const { port1, port2 } = new globalThis.MessageChannel();
  port1.onmessage = () => {
    port1.close();
    work();
  };
  port2.postMessage(0);
};

const isShown = (text) =>
  [...document.querySelectorAll('[role=treeitem]')].some((row) => row.textContent.includes(text));

/** Draws everything at once, with precomputed layout and only the names of the rows. */
const drawingOf = () => {
  const { rows } = editor.layout;
  const parts = [`<svg xmlns="http://www.w3.org/2000/svg" width="900" height="${rows * ROW}">`];
  for (const { position, id, tool, graph } of everything) {
    const x = 9 + graph.lane * LANE;
    const y = position * ROW;
    const lines = graph.through.map((lane) => `M${9 + lane * LANE} ${y}v${ROW}`);
    for (const lane of graph.children) lines.push(`M${9 + lane * LANE} ${y}L${x} ${y + ROW / 2}`);
    if (graph.hasParent) lines.push(`M${x} ${y + ROW / 2}v${ROW / 2}`);
    parts.push(`<path d="${lines.join('')}"/><circle cx="${x}" cy="${y + ROW / 2}" r="4"/>`);
    parts.push(`<text x="460" y="${y + 15}">${id} ${tool}</text>`);
  }
  parts.push('</svg>');
  return parts.join('');
};

let everything = [];

/** Computes the complete layout, which is not measured. */
const knowAll = () => {
  everything = editor.rows(0, editor.layout.rows);
};

const drawAll = async () => {
  const started = performance.now();
  document.querySelector('#all').innerHTML = drawingOf();
  return (await paintedWhen(() => true)) - started;
};

const scroller = () =>
  [...document.querySelectorAll('*')].find(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 10_000);

globalThis.lineageBench = {
  open: (count, latency) => {
    editor = new StubEditor(count);
    globalThis.acquireVsCodeApi = () => ({
      postMessage: (message) =>
        later(latency, () => {
          for (const answer of editor.answer(message)) window.postMessage(answer, '*');
        }),
      getState: () => undefined,
      setState: () => undefined,
    });
  },
  start: async (code) => {
    const script = document.createElement('script');
    script.textContent = code;
    await painted();
    const started = performance.now();
    document.body.append(script);
    return (await paintedWhen(() => isShown(editor.newest))) - started;
  },
  append: async () => {
    const messages = editor.append();
    await painted();
    const started = performance.now();
    for (const message of messages) window.postMessage(message, '*');
    return (await paintedWhen(() => isShown(editor.newest))) - started;
  },
  startAll: async () => {
    document.body.innerHTML = '<div id="all" style="height: 100vh; overflow: auto"></div>';
    knowAll();
    await painted();
    return drawAll();
  },
  appendAll: async () => {
    editor.append();
    knowAll();
    await painted();
    return drawAll();
  },
  /** Late frames, and frames with missing rows. */
  scroll: async (frames, step) => {
    const box = scroller();
    box.scrollTop = 0;
    await painted();
    let last = await frame();
    const took = [];
    let waiting = 0;
    for (let turn = 0; turn < frames; turn++) {
      box.scrollTop += step;
      const now = await frame();
      took.push(now - last);
      last = now;
      if (document.querySelector('[role=treeitem][aria-label=Loading]:not([hidden])') !== null) waiting++;
    }
    const dropped = took.reduce((sum, each) => sum + Math.max(0, Math.round(each / FRAME_MS) - 1), 0);
    const sorted = took.toSorted((a, b) => a - b);
    return { dropped, p95: sorted[Math.floor(sorted.length * 0.95)], waiting, scrolled: box.scrollTop };
  },
};
