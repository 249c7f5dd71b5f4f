// Mocha's own report, where the runner can find it: in the extension host the console is full of the editor's own lines.
const { appendFileSync, writeFileSync } = require('node:fs');
const { formatWithOptions } = require('node:util');
const { reporters } = require('mocha');

const { MCPL_TEST_COUNTS: counts, MCPL_TEST_REPORT: report } = process.env;

if (report) {
  reporters.Base.consoleLog = (...parts) =>
    appendFileSync(report, `${formatWithOptions({ colors: false }, ...parts)}\n`);
}

class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      if (counts) writeFileSync(counts, JSON.stringify({ passed: passes, failed: failures, skipped: pending }));
    });
  }
}

module.exports = CountingReporter;
