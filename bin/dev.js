#!/usr/bin/env node
// The same program from the source as it is now: builds into a folder of its own, then runs.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundle } from '../scripts/bundle.js';

const root = join(import.meta.dirname, '..');
const dir = mkdtempSync(join(root, 'node_modules', '.svc-dev-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
await bundle({ main: join(root, 'src/main.ts') }, { dir, format: 'cjs' });
await createRequire(import.meta.url)(join(dir, 'main.cjs')).run(root);
