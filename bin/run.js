#!/usr/bin/env node
// CommonJS, as this folder's package.json says: an ES module would make every command start 5 ms later.
const { join } = require('node:path');
const { loadCached } = require('./code-cache.js');

const root = join(__dirname, '..');
loadCached(join(root, 'dist', 'main.cjs')).run(root);
