/** CPU time of this process in milliseconds. Hardly affected by other programs on a busy machine. */
export const cpuTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
