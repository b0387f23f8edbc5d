#!/usr/bin/env node
// CommonJS (see package.json in this folder): an ES module would start 5 ms later.
const { join } = require('node:path');
const { loadCached } = require('./code-cache.js');

const root = join(__dirname, '..');
loadCached(join(root, 'dist', 'main.cjs')).run(root);
