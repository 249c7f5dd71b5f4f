import type { Progress } from '../core/index.ts';
import { plain, type Terminal } from './terminal.ts';

/** Shows the progress of a request, a line each. */
export function progress(terminal: Terminal): (progress: Progress) => void {
  return ({ progress: done, total, message }) => {
    const count = total === undefined ? String(done) : `${done}/${total}`;
    terminal.err(`[${count}]${message === undefined ? '' : ` ${plain(message).replaceAll('\n', ' ')}`}\n`);
  };
}
