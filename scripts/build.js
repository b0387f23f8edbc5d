/** Builds dist/ from src/, and man/ from docs/. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleProgram } from './bundle.js';
import { writeManPages } from './man.js';

rmSync('dist', { recursive: true, force: true });
await bundleProgram('dist');
writeManPages(join(import.meta.dirname, '..'));
