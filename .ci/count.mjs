// Counts the tests of one run and of the second attempt at what failed in it.
//   node count.mjs files FIRST          prints the files with failures, a line each
//   node count.mjs sum FIRST [SECOND]   prints PASSED FAILED; names on standard error what only passed at the second attempt
// FIRST and SECOND are reports of vitest's JSON reporter.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [job, first, second] = process.argv.slice(2);

/** The result of each test by file and name, and the files that failed, those that could not be loaded included. */
function read(path) {
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'));
  const tests = new Map();
  const failed = new Set();
  for (const { name: file, status, assertionResults } of testResults) {
    if (status !== 'passed') failed.add(relative('.', file));
    // The same file may run in two projects: a name counts as failed if it failed in one of them.
    for (const { fullName, status: result } of assertionResults) {
      const key = `${relative('.', file)}: ${fullName}`;
      const seen = tests.get(key) ?? { passed: 0, failed: 0 };
      // What cannot run on this machine says so itself, and counts as neither.
      if (result === 'passed' || result === 'failed') seen[result]++;
      tests.set(key, seen);
    }
  }
  return { tests, failed };
}

const { tests, failed } = read(first);
if (job === 'files') {
  for (const file of failed) console.log(file);
} else {
  const again = second === undefined ? { tests: new Map(), failed } : read(second);
  let passed = 0;
  let lost = 0;
  for (const [name, result] of tests) {
    passed += result.passed;
    if (result.failed === 0) continue;
    const later = again.tests.get(name);
    if (later && later.failed === 0 && later.passed > 0) {
      console.error(`UNSTABLE, passed only when run again alone: ${name}`);
      passed += result.failed;
    } else lost += result.failed;
  }
  // A file that cannot be loaded has no tests to count.
  if (lost === 0 && again.failed.size > 0) lost = 1;
  console.log(`${passed} ${lost}`);
}
