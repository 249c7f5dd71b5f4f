import assert from 'node:assert/strict';

/** Polls until the page shows this, because the editor fires no event. */
export const eventually = async <T>(look: () => Promise<T>, expected: T, ms = 15_000): Promise<void> => {
  const end = Date.now() + ms;
  for (;;) {
    try {
      return assert.deepEqual(await look(), expected);
    } catch (error) {
      // An element that disappears while it is read only causes another try.
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
