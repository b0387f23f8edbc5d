import { expect, test } from 'vitest';
import { settings } from '../../../src/service/platform/store/settings.ts';
import { startTestService } from '../../support/process/service.ts';

test('a start with other limits keeps the settings that a later version has stored', async () => {
  const first = await startTestService();
  await first.platform.store.write(async (tx) => {
    const stored = await settings.get<Record<string, object>>(tx, 'policy');
    const limits = { ...stored?.limits, later: 7 };
    await settings.set(tx, 'policy', { ...stored, limits, another: { kept: true } });
  });
  await first.close();
  const { database } = first;
  const second = await startTestService({ database, limits: { ingest: 5 }, windowMs: 30_000 });
  expect(await second.platform.store.read((tx) => settings.get(tx, 'policy'))).toMatchObject({
    limits: { ingest: 5, later: 7 },
    windowMs: 30_000,
    another: { kept: true },
  });
});
