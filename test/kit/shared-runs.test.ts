import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SharedRuns } from '../../src/kit/shared-runs.ts';

test('each caller gets a run that begins after its call, and no two runs of a key are at once', async () => {
  const calls = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b'), after: fc.nat(6), fails: fc.boolean() }),
    {
      maxLength: 30,
    },
  );
  await fc.assert(
    fc.asyncProperty(calls, async (given) => {
      const runs = new SharedRuns<number>();
      const active = new Map<string, number>();
      let time = 0;
      let begun = 0;
      const turns = async (n: number) => {
        for (let i = 0; i < n; i++) await Promise.resolve();
      };
      const results = given.map(async ({ key, after, fails }) => {
        await turns(after * 3);
        const called = time++;
        const work = async () => {
          begun++;
          const started = time++;
          active.set(key, (active.get(key) ?? 0) + 1);
          expect(active.get(key)).toBe(1);
          await turns(4);
          active.set(key, active.get(key)! - 1);
          if (fails) throw Object.assign(new Error('failed'), { started });
          return started;
        };
        const started = await runs.run(key, work).catch((error) => error.started as number);
        expect(started).toBeGreaterThan(called);
      });
      await Promise.all(results);
      expect(begun).toBeLessThanOrEqual(given.length);
    }),
  );
});

test('callers during a run share the next one', async () => {
  const runs = new SharedRuns<number>();
  let begun = 0;
  const work = async () => {
    const number = ++begun;
    await new Promise(setImmediate);
    return number;
  };
  expect(await Promise.all([1, 2, 3, 4].map(() => runs.run('a', work)))).toEqual([1, 2, 2, 2]);
  expect(await runs.run('a', work)).toBe(3);
});
