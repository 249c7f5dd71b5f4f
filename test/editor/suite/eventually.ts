import assert from 'node:assert/strict';

/** Looks again until the page shows what it should, for what the editor draws without an event to wait for. */
export const eventually = async <T>(look: () => Promise<T>, expected: T, ms = 15_000): Promise<void> => {
  const end = Date.now() + ms;
  for (;;) {
    try {
      return assert.deepEqual(await look(), expected);
    } catch (error) {
      // What disappears while it is read is only one more reason to look again.
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
