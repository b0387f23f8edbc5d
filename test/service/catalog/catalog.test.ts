import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { catalogFile, content, decide, identify, open } from '../../support/process/decisions-service.ts';

describe('the catalog', () => {
  test('is reloaded when the file changes, and stays if the file becomes invalid', async () => {
    const first = await open();
    const catalog = catalogFile(first, [content('one')]);
    const service = await first.restart({ catalog });
    const chosen = async () => (await decide(service, 'h')).body.action.contentId;
    expect(await chosen()).toBe('one');
    catalogFile(service, [content('two', { prior: 0.2 })]);
    await expect.poll(chosen).toBe('two');
    writeFileSync(catalog, '{"contents": [{}]}');
    await expect.poll(() => service.logged.join()).toMatch(/contents\[0\]\.contentId is missing/);
    expect(await chosen()).toBe('two');
    const other = await service.restart({ catalog: undefined });
    expect((await decide(other, 'h')).body.action.contentId).toBe('two');
  });

  test('rejects an invalid file at the start with the path of the error', async () => {
    const service = await open();
    const catalog = catalogFile(service, [content('a', { format: 'poster' })]);
    await expect(service.restart({ catalog })).rejects.toThrow(
      'contents[0].format must be one of card, modal, embedded, full-screen',
    );
    await service.restart({ catalog: undefined }).catch(() => undefined);
  });
});

test('rejects data that was encrypted with another key, and names a missing key', async () => {
  const service = await open();
  await identify(service, { userId: 'u1', name: 'Ada' });
  await expect(service.restart({ dataKey: 'ab'.repeat(32) })).rejects.toThrow(/holds another key/);
  await expect(service.restart({ dataKey: 'short' })).rejects.toThrow(/64 hex characters/);
  writeFileSync(`${service.files}.key`, 'damaged');
  await expect(service.restart()).rejects.toThrow(/is damaged/);
});
