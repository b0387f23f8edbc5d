/** Builds dist/ from src/. */
import { rmSync } from 'node:fs';
import { bundle } from './bundle.js';

rmSync('dist', { recursive: true, force: true });
await bundle({ main: 'src/main.ts' }, { dir: 'dist', format: 'cjs' });
