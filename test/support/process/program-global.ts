import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that holds the built program of this run, once a test needed it (see `builtProgram`). */
    program: string;
  }
}

/** Provides a folder for the program, which is built once for all test files of a run. */
export default function setup(project: TestProject): () => void {
  // Below node_modules, so that `libsql` is found from there.
  const cache = join(import.meta.dirname, '../../../node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'svc-program-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  project.provide('program', folder);
  // In watch mode the source has changed.
  project.onTestsRerun(() => {
    remove();
    mkdirSync(folder);
  });
  return remove;
}
