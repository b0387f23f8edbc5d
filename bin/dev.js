#!/usr/bin/env node
// Builds the program from the current source into a temporary folder and runs it.
const { mkdtempSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const dir = mkdtempSync(join(root, 'node_modules', '.svc-dev-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));

import('../scripts/bundle.js')
  .then(({ bundleProgram }) => bundleProgram(dir))
  .then(() => require(join(dir, 'main.cjs')).run(root));
