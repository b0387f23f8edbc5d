#!/usr/bin/env node
import { join } from 'node:path';
import { loadCached } from './code-cache.js';

const root = join(import.meta.dirname, '..');
await loadCached(join(root, 'dist', 'main.cjs')).run(root);
