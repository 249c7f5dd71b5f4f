/** CPU that this thread has used, in milliseconds; since Node 23.9. */
function threadCpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

export const CAN_MEASURE_TURNS = typeof process.threadCpuUsage === 'function';

/**
 * The longest that this thread worked without giving others their turn, in milliseconds of its own CPU time: what other
 * programs of the machine do meanwhile is not counted.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = threadCpu();
  const look = (): void => {
    const now = threadCpu();
    longest = Math.max(longest, now - last);
    last = now;
  };
  // Once in each turn, since a millisecond is always over by the next one.
  const timer = setInterval(look, 1);
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 20));
    look();
  } finally {
    clearInterval(timer);
  }
  return longest;
}
