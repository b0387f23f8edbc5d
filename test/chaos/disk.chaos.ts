import { beforeAll, expect, test } from 'vitest';
import { type SvcProgram, svcProgram } from '../support/process/svc-process.ts';
import {
  canInject,
  type DiskFigures,
  sufferFailingCalls,
  sufferFileLimit,
  sufferFullDisk,
} from '../support/scenarios/disk-faults.ts';
import { tempDir } from '../support/temp.ts';

let program: SvcProgram;
beforeAll(async () => {
  program = await svcProgram();
  return () => program.release();
});

const SEED = process.env.SVC_SEED ?? 'disk';

function survived(figures: DiskFigures, leastFailed: number): void {
  console.log(JSON.stringify(figures));
  expect(figures.faults).toEqual([]);
  expect(figures.failed).toBeGreaterThanOrEqual(leastFailed);
  expect(figures.taken).toBeGreaterThan(figures.rounds);
}

test('file size limit at 200 positions: 503, no loss, no restart', async () => {
  survived(await sufferFileLimit(program, tempDir(), 200, SEED), 100);
});

test('full disk that also holds the log, 60 times', async () => {
  const figures = await sufferFullDisk(program, tempDir(), 60, SEED);
  if (figures === undefined) {
    console.warn('no file system can be mounted here: the full disk is played by limits on files alone');
    survived(await sufferFileLimit(program, tempDir(), 60, `${SEED} instead of a disk`), 20);
  } else survived(figures, 30);
});

test('failure of the k-th write or fsync, for k from 1 to 60', async () => {
  if (!canInject()) {
    console.warn('strace is not at hand: failing calls are played by limits on files alone');
    return survived(await sufferFileLimit(program, tempDir(), 200, `${SEED} instead of strace`), 100);
  }
  survived(await sufferFailingCalls(program, tempDir(), 360, SEED), 150);
});
