import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileVersion, watchSince } from '../../../src/service/catalog/watch.ts';
import { tempDir } from '../../support/temp.ts';

/** Watches a file from a version on; `changes` returns the number of detected changes. */
function watch(path: string, version: string | null): { changes: () => number } {
  let changes = 0;
  onTestFinished(watchSince(path, version, () => changes++));
  return { changes: () => changes };
}

describe('watchSince', () => {
  it('detects changes made before it is called', async () => {
    const path = join(tempDir(), 'catalog.json');
    writeFileSync(path, 'one');
    const version = fileVersion(path);
    writeFileSync(path, 'another');
    const { changes } = watch(path, version);
    await expect.poll(changes).toBe(1);
    writeFileSync(path, 'a third one');
    await expect.poll(changes).toBe(2);
  });

  it('follows a file that is replaced, removed and created again', async () => {
    const path = join(tempDir(), 'catalog.json');
    writeFileSync(path, 'one');
    const { changes } = watch(path, fileVersion(path));
    writeFileSync(`${path}.new`, 'two');
    renameSync(`${path}.new`, path);
    await expect.poll(changes).toBe(1);
    rmSync(path);
    expect(fileVersion(path)).toBeNull();
    writeFileSync(path, 'back again');
    await expect.poll(changes).toBe(2);
  });
});
