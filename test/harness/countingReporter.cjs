// Writes mocha's report to a file, because the console of the extension host is full of the editor's lines.
const { appendFileSync, writeFileSync } = require('node:fs');
const { formatWithOptions } = require('node:util');
const { reporters } = require('mocha');

const { MCPL_TEST_COUNTS: counts, MCPL_TEST_REPORT: report } = process.env;

if (report) {
  reporters.Base.consoleLog = (...parts) =>
    appendFileSync(report, `${formatWithOptions({ colors: false }, ...parts)}\n`);
}

/**
 * A run of the mocha command ends when nothing is left, and otherwise reports what is. An editor ends its processes
 * itself.
 */
const LEFT_OVER_MS = 20_000;
const failWhatIsLeft = () => {
  if (!/mocha(\.[cm]?js)?$/.test(process.argv[1] ?? '')) return;
  setTimeout(() => {
    const left = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(`The tests are over, and something keeps their process alive: ${left}\n`);
    // After mocha's own listener, which only considers failed tests.
    process.once('exit', () => (process.exitCode = 1));
    process.exit();
  }, LEFT_OVER_MS).unref();
};

class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const retried = [];
    runner.on('retry', (test, error) => retried.push(`${test.fullTitle()}: ${error.message.split('\n', 1)[0]}`));
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      if (counts)
        writeFileSync(counts, JSON.stringify({ passed: passes, failed: failures, skipped: pending, retried }));
      failWhatIsLeft();
    });
  }
}

module.exports = CountingReporter;
