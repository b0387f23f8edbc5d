#!/usr/bin/env node
// The same program from the source as it is now: builds into a folder of its own, then runs.
const { mkdtempSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const dir = mkdtempSync(join(root, 'node_modules', '.svc-dev-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));

import('../scripts/bundle.js')
  .then(({ bundleProgram }) => bundleProgram(dir))
  .then(() => require(join(dir, 'main.cjs')).run(root));
