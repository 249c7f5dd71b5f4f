/** CPU time of this thread in milliseconds. Needs Node 23.9. */
function threadCpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

export const CAN_MEASURE_TURNS = typeof process.threadCpuUsage === 'function';

/**
 * The longest time for which this thread did not yield to the event loop, in milliseconds of its own CPU time. Other
 * programs do not affect it.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = threadCpu();
  const look = (): void => {
    const now = threadCpu();
    longest = Math.max(longest, now - last);
    last = now;
  };
  // Fires in each turn of the event loop, because a millisecond has always passed.
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
