/** Milliseconds of CPU time that this process has used. Other programs on a busy machine hardly change it. */
export const cpuTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
