import { button, element } from '../shared/elements.ts';
import type { BlockView, RunView } from './formMessages.ts';

interface ResultActions {
  copy(): void;
  open(): void;
  log(): void;
  sendAnyway(): void;
}

/** The result of a run. Empty without one. */
export function resultView(run: RunView, actions: ResultActions): readonly Node[] {
  switch (run.kind) {
    case 'idle':
    case 'running':
      return [];
    case 'cancelled':
      return [element('h2', { text: outcome(run) })];
    case 'failed':
      return [
        element('h2', { class: 'failed', text: `Failed after ${seconds(run.elapsedMs)}` }),
        element('p', { class: 'reason', text: run.message }),
        ...(run.suggestion === '' ? [] : [element('p', { class: 'suggestion', text: run.suggestion })]),
        element('div', {
          class: 'buttons',
          children: [
            ...(run.canSendAnyway ? [button('Send Anyway', 'secondary', () => actions.sendAnyway())] : []),
            button('Show Log', 'secondary', () => actions.log()),
          ],
        }),
      ];
    case 'done':
      return [
        element('div', {
          class: 'heading',
          children: [
            element('h2', { class: run.isError ? 'failed' : 'succeeded', text: outcome(run) }),
            button('Copy', 'link', () => actions.copy()),
            button('Open in Editor', 'link', () => actions.open()),
          ],
        }),
        ...(run.kept === undefined ? [] : [element('p', { class: 'kept', text: run.kept })]),
        ...run.blocks.map(blockView),
        ...structuredView(run.structured, run.blocks),
        ...(run.blocks.length === 0 && run.structured === undefined
          ? [element('p', { text: 'The result is empty.' })]
          : []),
      ];
  }
}

/** The outcome of a run in one sentence, for screen readers. */
export function outcome(run: RunView): string {
  switch (run.kind) {
    case 'idle':
      return '';
    case 'running':
      return run.message;
    case 'cancelled':
      return `Cancelled after ${seconds(run.elapsedMs)}`;
    case 'failed':
      return `Failed: ${run.message} ${run.suggestion}`;
    case 'done':
      return run.isError
        ? `The tool reports an error after ${seconds(run.elapsedMs)}`
        : `Succeeded in ${seconds(run.elapsedMs)}`;
  }
}

export function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** A part of a result, as text or as an image that cannot run code. */
export function blockView(block: BlockView): HTMLElement {
  const note = block.note === '' ? [] : [element('figcaption', { text: block.note })];
  if (block.kind === 'text') {
    const text = element('pre', { text: block.text, attributes: { tabindex: '0' } });
    return element('figure', { children: [...note, ...(block.text === '' ? [] : [text])] });
  }
  const image = element('img', { attributes: { alt: block.note } });
  image.addEventListener('error', () =>
    image.replaceWith(element('p', { class: 'error', text: 'This image cannot be shown.' })),
  );
  image.src = block.source;
  return element('figure', { children: [...note, image] });
}

/** Most servers repeat structured content as text for older hosts, so one of them is collapsed. */
function structuredView(structured: string | undefined, blocks: readonly BlockView[]): readonly Node[] {
  if (structured === undefined) return [];
  const fold = element('details', {
    children: [
      element('summary', { text: 'Structured content' }),
      element('pre', { class: 'code', text: structured, attributes: { tabindex: '0' } }),
    ],
  });
  fold.open = blocks.length === 0;
  return [fold];
}
