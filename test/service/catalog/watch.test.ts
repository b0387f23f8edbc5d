import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileVersion, watchSince } from '../../../src/service/catalog/watch.ts';
import { tempDir } from '../../support/temp.ts';

/** Watches a file from a mark on; `changes` tells how often it was seen to change. */
function watch(path: string, mark: string | null): { changes: () => number } {
  let changes = 0;
  onTestFinished(watchSince(path, mark, () => changes++));
  return { changes: () => changes };
}

describe('a file that is watched', () => {
  it('is seen to have changed after the mark, also before the watching began', async () => {
    const path = join(tempDir(), 'catalog.json');
    writeFileSync(path, 'one');
    const mark = fileVersion(path);
    writeFileSync(path, 'another');
    const { changes } = watch(path, mark);
    await expect.poll(changes, { timeout: 10_000 }).toBe(1);
    writeFileSync(path, 'a third one');
    await expect.poll(changes, { timeout: 10_000 }).toBe(2);
  });

  it('is followed where it is replaced, gone and back', async () => {
    const path = join(tempDir(), 'catalog.json');
    writeFileSync(path, 'one');
    const { changes } = watch(path, fileVersion(path));
    writeFileSync(`${path}.new`, 'two');
    renameSync(`${path}.new`, path);
    await expect.poll(changes, { timeout: 10_000 }).toBe(1);
    rmSync(path);
    expect(fileVersion(path)).toBeNull();
    writeFileSync(path, 'back again');
    await expect.poll(changes, { timeout: 10_000 }).toBe(2);
  });
});
