import { onTestFinished } from 'vitest';
import { bundledSvc } from './svc-process.ts';

/** The arguments for node that run the program as it is now, for one test that needs a process of its own. */
export async function builtSvc(): Promise<string[]> {
  const { script, release } = await bundledSvc();
  onTestFinished(release);
  return [script];
}
