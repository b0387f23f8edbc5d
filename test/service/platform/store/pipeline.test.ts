import { expect, it } from 'vitest';
import { pipeline } from '../../../../src/service/platform/store/pipeline.ts';

it('resolves with all results in order', async () => {
  expect(await pipeline([Promise.resolve(1), false, Promise.resolve('two')])).toEqual([1, false, 'two']);
});

it('rejects with the first error, but only after every statement has settled', async () => {
  let settled = 0;
  const slow = new Promise<void>((resolve) => setTimeout(resolve, 20)).then(() => void settled++);
  const failing = Promise.reject(new Error('first'));
  await expect(pipeline([failing, slow, Promise.reject(new Error('second'))])).rejects.toThrow('first');
  expect(settled).toBe(1);
});
