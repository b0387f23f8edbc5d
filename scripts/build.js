/** Builds dist/ from src/. */
import { rmSync } from 'node:fs';
import { bundleProgram } from './bundle.js';

rmSync('dist', { recursive: true, force: true });
await bundleProgram('dist');
