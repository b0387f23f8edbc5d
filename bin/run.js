#!/usr/bin/env node
// CommonJS (see package.json in this folder): an ES module would start 5 ms later.
const { join } = require('node:path');

const root = join(__dirname, '..');
// Reading the cache takes longer than compiling the little that these need.
const load = /^(--version|-v|version)$/.test(process.argv[2] ?? '')
  ? require
  : require('./code-cache.js').loadCached;
load(join(root, 'dist', 'main.cjs')).run(root);
