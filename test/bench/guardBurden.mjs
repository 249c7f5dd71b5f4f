// Preloaded by our variants. Adds half a millisecond of CPU time to each message, which the guard must detect.
const parse = JSON.parse;
JSON.parse = (...args) => {
  const { user, system } = process.cpuUsage();
  const enough = user + system + 500;
  for (let spent = 0; spent < enough;) {
    const now = process.cpuUsage();
    spent = now.user + now.system;
  }
  return parse(...args);
};
