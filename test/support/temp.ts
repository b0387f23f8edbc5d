import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder that goes away with the test. */
export function tempDir(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'svc-test-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 20 }));
  return dir;
}
