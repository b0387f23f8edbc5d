import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { bundleConsole } from '../../../scripts/console.js';
import { ROOT } from '../process/run-svc.ts';

let root: Promise<string> | undefined;

/** This project with the page as its source says, whatever `dist` holds: built once for the worker process. */
export function builtRoot(): Promise<string> {
  root ??= (async () => {
    const cache = join(ROOT, 'node_modules', '.cache');
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, 'svc-console-page-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    for (const name of ['package.json', 'oclif.manifest.json'])
      symlinkSync(join(ROOT, name), join(folder, name));
    await bundleConsole(join(folder, 'dist', 'console'));
    return folder;
  })();
  return root;
}
