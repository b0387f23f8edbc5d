import { expect, test } from 'vitest';
import { guards } from '../../src/service/decisions/goals/store/guards.ts';
import { runSvc } from '../support/process/run-svc.ts';
import { startTestService } from '../support/process/service.ts';

const content = (contentId: string) => ({
  ...{ contentId, category: 'any', format: 'card', title: contentId, body: '' },
});
const goal = { goalId: 'unsubscribed', event: 'unsubscribed', within: '1d', guard: { worseThan: 0.02 } };

test('contents list, model and doctor name what a guard took out, since when, and how to lift it', async () => {
  const service = await startTestService();
  const catalog = { contents: [content('loud'), content('calm')], goals: [goal], settings: { holdout: 0.1 } };
  const put = await service.fetch('/v1/catalog', { method: 'PUT', body: { catalog } });
  expect(put.status).toBe(200);
  await expect.poll(() => service.idle(), { interval: 50 }).toBe(true);
  const svc = (...args: string[]) => runSvc(args, { env: service.env });
  expect((await svc('model')).stdout).toContain(
    'guard: does nothing while no decision of a holdout group counts (settings.holdout)',
  );
  expect((await svc('doctor')).stdout).not.toContain('guards');
  await service.platform.store.write(async (tx) => {
    const taken = {
      ...{ goal: 1, since: 0, removedAt: Date.parse('2026-05-01T12:00:00Z'), rule: '', digest: '' },
      ...{ value: 0.06, holdout: 0.021 },
    };
    // By the guard that the catalog has, and of the content as it is.
    for (const contentId of ['loud', '']) await guards.set(tx, service.workspace, { ...taken, contentId });
  });
  const list = await svc('contents', 'list');
  expect(list.stdout).toMatch(/loud\tany\tguarded \(unsubscribed\)/);
  expect(list.stdout).toMatch(/calm\tany\tactive/);
  const model = await svc('model');
  expect(model.stdout).toContain(
    'guard: loud is out of choice since 2026-05-01T12:00:00.000Z: 6.00 %, the holdout group 2.10 %',
  );
  expect(model.stdout).toContain('guard: the learned choice is out of choice since 2026-05-01T12:00:00.000Z');
  expect(model.stdout).toContain('to lift it, change the content, or `guard` of the goal, in the catalog');
  const doctor = await svc('doctor');
  expect(doctor.code).toBe(0);
  expect(doctor.stdout).toContain(
    'the guard of goal unsubscribed took the learned choice out of choice at 2026-05-01T12:00:00.000Z, and 1 more',
  );
  expect(doctor.stdout).toMatch(/next: see what it found, and how to lift it: svc model/);
});
