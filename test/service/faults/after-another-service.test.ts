import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

it('loses and cuts answers without an error on standard error, also if another service ran in the process before', async () => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
  // It replaces the global Response. Fault injection is loaded after it.
  const plain = await startTestService();
  expect((await plain.fetch('/v1/webhooks')).status).toBe(200);
  const faults = join(tempDir(), 'faults.json');
  const requests = ['lose-answer', 'cut-answer'].map((fault, i) => ({ from: i + 1, to: i + 1, fault }));
  writeFileSync(faults, JSON.stringify({ seed: 's', requests }));
  const faulty = await startTestService({ faults });
  for (const { fault } of requests)
    await expect(
      faulty.fetch('/v1/webhooks').then((answer) => answer.text()),
      fault,
    ).rejects.toThrow();
  expect((await faulty.fetch('/v1/webhooks')).status).toBe(200);
  expect(errors).not.toHaveBeenCalled();
  errors.mockRestore();
});
