import { type Clock, toDisposable } from '../../core/index.ts';

/** The clock of parts of the editor that get none from their caller. */
export const editorClock: Clock = {
  now: () => Date.now(),
  delay: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return toDisposable(() => clearTimeout(timer));
  },
};
