// Loaded before one of our variants, it makes each message cost half a millisecond of CPU more: the guard has to see that.
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
