import { expect, test } from 'vitest';
import { runSvc, startSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

test('svc serve --retain keeps the setting with the data, says what is kept, and takes it back', async () => {
  const home = tempDir();
  const said = async (...argv: string[]) => {
    const serving = startSvc(['serve', '--port', '0', ...argv], { home });
    await serving.waitFor(/stop with Ctrl-C/);
    serving.interrupt();
    const { code, stderr } = await serving.done;
    expect(code).toBe(0);
    return stderr;
  };
  expect(await said()).not.toContain('keeps');
  expect(await said('--retain', 'events=90d,decisions=400d')).toContain(
    'keeps events for 90d and decisions for 400d, and removes older ones',
  );
  const later = await said('--retain', 'events=forever');
  expect(later).toContain('keeps decisions for 400d, and removes older ones');
  expect(later).toContain('settings stored with this data: --retain decisions=400d; to restore');
  expect(later).toContain('--retain decisions=forever');
});

test('a node says that another one has changed how long a log is kept', async () => {
  const home = tempDir();
  const start = async (...argv: string[]) => {
    const serving = startSvc(['serve', '--port', '0', ...argv], { home });
    await serving.waitFor(/stop with Ctrl-C/);
    return serving;
  };
  const changed = /"log":"events","before":"90d","now":"30d","message":"retention changed/;
  const first = await start('--retain', 'events=90d');
  const second = await start('--retain', 'events=30d');
  const third = await start('--retain', 'events=30d');
  await first.waitFor(changed, 'stderr');
  for (const serving of [first, second, third]) serving.interrupt();
  expect((await second.done).stderr).toMatch(changed);
  expect((await third.done).stderr).not.toContain('retention changed');
  expect((await first.done).code).toBe(0);
});

test.each([
  ['events=90', 2, '--retain events=90 is not LOG=DURATION'],
  ['users=90d', 2, '--retain users=90d is not LOG=DURATION'],
  ['events=999999d', 2, '--retain events=999999d is not LOG=DURATION, with at most five digits'],
  ['events=9d,events=8d', 2, '--retain names events twice'],
  ['events=0d', 2, '--retain events=0d is not LOG=DURATION'],
  [
    'events=5h',
    2,
    'events cannot be kept for 5h: a rule of the catalog on the event savings_plan_opened needs them for 30d',
  ],
  ['decisions=8d', 2, 'decisions cannot be kept for 8d: the reward window of the catalog needs them for 15d'],
  ['decisions=8d', 2, 'with --retain decisions=15d, or shorten what that rule of the catalog reads'],
  ['notifications=3d', 2, 'next: keep them that long, with --retain notifications=7d (docs/operations.md)'],
])('svc serve --retain %s is refused with the reason', async (text, code, reason) => {
  const home = tempDir();
  const refused = await runSvc(['serve', '--port', '0', '--retain', text], { home });
  expect([refused.code, refused.stdout]).toEqual([code, '']);
  expect(refused.stderr).toContain(reason);
});
