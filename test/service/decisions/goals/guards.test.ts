import { expect, test } from 'vitest';
import type { AnswerOf } from '../../../../src/contract/endpoints.ts';
import { seededRandom } from '../../../../src/kit/random.ts';
import { toCatalog } from '../../../../src/service/catalog/catalog.ts';
import type { CatalogFile } from '../../../../src/service/catalog/schema.ts';
import { GuardChecks } from '../../../../src/service/decisions/goals/guard-checks.ts';
import { countAndMark } from '../../../../src/service/decisions/goals/worker.ts';
import { earnings, noteCounting } from '../../../../src/service/decisions/store/earnings.ts';
import { type RawService, wallClock } from '../../../support/peers/raw-service.ts';
import { content, decide, open, waiting } from '../../../support/process/decisions-service.ts';

const TOGETHER = 50;
const guarded = { goalId: 'unsubscribed', event: 'unsubscribed', within: '1h', guard: { worseThan: 0.02 } };
const contents = ['a', 'b', 'c'].map((id) => content(id));
const settings = { holdout: 0.5 };

const put = async (service: RawService, catalog: object) => {
  const { status, text } = await service.send('PUT', '/v1/catalog', { catalog: { settings, ...catalog } });
  expect(status, text).toBe(200);
};
const quiet = (service: RawService) => expect.poll(() => service.idle(), { interval: 50 }).toBe(true);
const identifyAll = async (service: RawService, ids: readonly string[]) =>
  (
    await service.send<AnswerOf<'ingestUsers'>>('POST', '/v1/users', {
      users: ids.map((userId) => ({ userId })),
    })
  ).body.users.map(({ hashId }) => hashId);

/**
 * Who is held out and what is chosen is drawn: with so many users, and one content that is so much worse, a guard misses that
 * less than once in 20,000 times.
 */
const USERS = 900;
const harmful = (contentId: string) => (contentId === 'a' ? 0.95 : 0.05);

/** Users get a content each, and unsubscribe half an hour later with the probability of the content. */
async function live(service: RawService, users: number, rate: (contentId: string) => number) {
  const seed = `lives${users}`;
  const random = seededRandom(seed);
  const at = new Date(service.platform.clock.now() + 1_800_000).toISOString();
  for (let from = 0; from < users; from += TOGETHER) {
    const ids = Array.from({ length: TOGETHER }, (_, i) => `${seed}${from + i}`);
    const hashIds = await identifyAll(service, ids);
    const made = await Promise.all(hashIds.map((hashId) => decide(service, hashId)));
    const left = made.flatMap(({ body }, i) => (random() < rate(body.action.contentId) ? [ids[i]!] : []));
    if (left.length === 0) continue;
    const events = left.map((userId) => ({ userId, event: 'unsubscribed', timestamp: at }));
    expect((await service.send('POST', '/v1/events', { events })).status).toBe(202);
  }
  await quiet(service);
}

const DAY = '2026-05-01';
async function start() {
  const clock = wallClock(`${DAY}T10:00:00Z`);
  const service = await open({ clock });
  return { clock, service };
}

/** Any event of a goal starts a look at the guards. */
async function look(service: RawService) {
  // Where some decisions are not in the reward log yet, a look is repeated a minute later, which the clock does not reach.
  await quiet(service);
  const timestamp = new Date(service.platform.clock.now()).toISOString();
  const events = [{ userId: 'somebody', event: 'unsubscribed', timestamp }];
  expect((await service.send('POST', '/v1/events', { events })).status).toBe(202);
  await quiet(service);
}

const chosen = async (service: RawService, seed: string) => {
  const hashIds = await identifyAll(
    service,
    Array.from({ length: 60 }, (_, i) => `${seed}${i}`),
  );
  const made = await Promise.all(hashIds.map((hashId) => decide(service, hashId)));
  return made.map(({ body }) => body);
};

test('a content that makes many more users unsubscribe is taken out, until it is changed', async () => {
  const { clock, service } = await start();
  await put(service, { contents, goals: [guarded] });
  await live(service, USERS, harmful);
  // Nothing is said while windows are open.
  await look(service);
  expect(service.logged.join('')).not.toContain('a guard took');
  clock.set(`${DAY}T12:00:00Z`);
  await look(service);
  const [line, ...others] = service.logged.filter((each) => each.includes('a guard took'));
  expect(others).toEqual([]);
  expect(JSON.parse(line!)).toMatchObject({
    level: 'warn',
    message: 'a guard took a content out of choice',
    goalId: 'unsubscribed',
    contentId: 'a',
    worseThan: 0.02,
  });
  const after = await chosen(service, 'after');
  expect(new Set(after.map(({ action }) => action.contentId))).toEqual(new Set(['b', 'c']));
  const { body } = await service.send<AnswerOf<'getDecision'>>(
    'GET',
    `/v1/decisions/${after[0]!.decisionId}`,
  );
  expect(body.removed).toEqual([{ rule: 'guard', name: 'unsubscribed', count: 1, contentIds: ['a'] }]);
  // It survives a restart, and a change of another content.
  const again = await service.restart({ clock });
  await put(again, {
    contents: [contents[0], { ...contents[1], title: 'B' }, contents[2]],
    goals: [guarded],
  });
  await look(again);
  expect((await chosen(again, 'again')).some(({ action }) => action.contentId === 'a')).toBe(false);
  // Nobody is left without a content.
  await put(again, { contents: [contents[0]], goals: [guarded] });
  const [only] = await chosen(again, 'only');
  expect(only!.action).toMatchObject({ contentId: 'a' });
  expect(only!.action.reason).toContain('guards took all candidates out of choice');
  // Another text is another content.
  await put(again, {
    contents: [{ ...contents[0], title: 'Softer' }, contents[1], contents[2]],
    goals: [guarded],
  });
  await look(again);
  await expect
    .poll(async () =>
      (await chosen(again, `soft${Math.random()}`)).some(({ action }) => action.contentId === 'a'),
    )
    .toBe(true);
  expect(again.logged.some((each) => each.includes('let a content back'))).toBe(true);
});

/** Contents that were taken out. The learned choice may be too: by chance it has shown the bad one more often. */
const taken = ({ logged }: RawService) =>
  logged
    .map((line) => JSON.parse(line) as { message: string; contentId?: string })
    .flatMap(({ message, contentId }) =>
      message === 'a guard took a content out of choice' ? [contentId] : [],
    );

test('guards are looked at as windows end without another event, and soon where a kill prevented it', async () => {
  const { clock, service } = await start();
  await put(service, { contents, goals: [guarded] });
  await live(service, USERS, harmful);
  const { store } = service.platform;
  const marks = () =>
    store.read(async (tx) => {
      const rows = await tx.sql.all<{ at: number }>(
        `SELECT due_at AS at FROM due WHERE workspace_id = ? AND lane = 'goals'`,
        [service.workspace],
      );
      return rows.map(({ at }) => Number(at) - tx.now);
    });
  let minute = 0;
  // A look that came before the reward log was complete is repeated after a minute.
  const aMinuteLater = async () => {
    clock.set(new Date(Date.parse(`${DAY}T10:00:00Z`) + 60_000 * ++minute).toISOString());
    // A request tells the time to a database that has a clock of its own.
    expect((await service.send('GET', '/v1/decisions')).status).toBe(200);
    await quiet(service);
  };
  // Once it has looked, it waits for the next windows to end.
  const waitsForWindows = async () => {
    const [at, ...others] = await marks();
    expect(others).toEqual([]);
    if (at! <= 60_000) await aMinuteLater();
    return at! > 60_000 && at! <= 3_600_000;
  };
  await expect.poll(waitsForWindows, { interval: 500 }).toBe(true);
  // A process that counted the last event, and was killed before it looked, leaves a mark for the next one.
  const catalog = toCatalog({ contents, goals: [guarded], settings } as unknown as CatalogFile);
  const killed = new GuardChecks({} as never, {} as never);
  expect(await store.write((tx) => countAndMark(tx, service.workspace, catalog, killed))).toBe(false);
  expect((await marks()).every((each) => each <= 60_000)).toBe(true);
  expect(taken(service)).toEqual([]);
  minute = 120;
  const lookedAMinuteLater = async () => {
    await aMinuteLater();
    // A failure says what the look waits for.
    const unsettled = await store.read((tx) => earnings.firstUnsettled(tx, service.workspace));
    return { taken: taken(service), marks: await marks(), unsettled };
  };
  await expect.poll(lookedAMinuteLater, { interval: 500 }).toMatchObject({ taken: ['a'] });
});

test('decisions that were served and are not counted yet count as served once, or are not compared', async () => {
  const { clock, service } = await start();
  await put(service, { contents, goals: [guarded] });
  await live(service, USERS, harmful);
  const { store } = service.platform;
  const ws = [service.workspace];
  // The learner has counted none of them, and of one the reward log has no entry.
  await store.write(async ({ sql }) => {
    await sql.run('DELETE FROM content_count WHERE workspace_id = ?', ws);
    await sql.run('UPDATE content_count_head SET seq = 0 WHERE workspace_id = ?', ws);
    await sql.run(
      `UPDATE decision SET reward = NULL WHERE workspace_id = ? AND decision_id =
         (SELECT decision_id FROM reward WHERE workspace_id = ? AND reward = 0 ORDER BY seq DESC LIMIT 1)`,
      [...ws, ...ws],
    );
  });
  clock.set(`${DAY}T12:00:00Z`);
  await look(service);
  expect(taken(service)).toEqual([]);
  await store.write((tx) => noteCounting(tx, service.workspace));
  const settled = () => store.read((tx) => earnings.firstUnsettled(tx, service.workspace));
  await expect.poll(settled).toBeUndefined();
  clock.set(`${DAY}T12:02:00Z`);
  await look(service);
  await expect.poll(() => taken(service)).toEqual(['a']);
  const { value } = JSON.parse(service.logged.find((each) => each.includes('took a content'))!);
  expect(value > 0.8 && value <= 1).toBe(true);
});

test('contents that do not differ stay in choice', async () => {
  const { clock, service } = await start();
  await put(service, { contents, goals: [guarded] });
  await live(service, 800, () => 0.3);
  clock.set(`${DAY}T12:00:00Z`);
  await look(service);
  expect(service.logged.join('')).not.toContain('a guard took');
  const after = await chosen(service, 'after');
  expect(new Set(after.map(({ action }) => action.contentId))).toEqual(new Set(['a', 'b', 'c']));
});

test('a learned choice that is worse than the holdout group gives way to an even one', async () => {
  const { clock, service } = await start();
  await put(service, { contents, goals: [guarded] });
  const { store } = service.platform;
  await live(service, 500, () => 0.3);
  // All that the holdout group earned is taken away: its users answer differently.
  await store.write((tx) =>
    tx.sql.run(
      `UPDATE goal_by_time SET value = value / 10, squares = squares / 10 WHERE workspace_id = ? AND policy = 'holdout'`,
      [service.workspace],
    ),
  );
  clock.set(`${DAY}T12:00:00Z`);
  await look(service);
  const lines = service.logged.filter((each) => each.includes('a guard took'));
  expect(lines.some((each) => each.includes('the learned choice'))).toBe(true);
  const made = await chosen(service, 'after');
  const logged = await Promise.all(
    made.map(({ decisionId }) => service.send<AnswerOf<'getDecision'>>('GET', `/v1/decisions/${decisionId}`)),
  );
  expect(new Set(logged.map(({ body }) => body.policy))).toEqual(new Set(['weights', 'holdout']));
  const even = logged.find(({ body }) => body.policy === 'weights')!.body;
  for (const { propensity } of even.candidates) expect(propensity).toBeCloseTo(1 / even.candidates.length, 9);
  expect(
    even.candidates.length === 1 ||
      even.reason!.includes('the guard of goal unsubscribed stopped the learned choice'),
  ).toBe(true);
  // Another start of the comparison lifts it.
  const later = { ...guarded, guard: { worseThan: 0.02, from: '2026-05-01T12:00:00Z' } };
  await put(service, { contents, goals: [later] });
  await look(service);
  await expect
    .poll(async () => {
      const [one] = await chosen(service, `back${Math.random()}`);
      const { body } = await service.send<AnswerOf<'getDecision'>>('GET', `/v1/decisions/${one!.decisionId}`);
      return body.policy;
    })
    .not.toBe('weights');
});

test('fixed weights are not touched, and a message that waits is withdrawn', async () => {
  const { clock, service } = await start();
  const placements = [{ surface: 'cart', weights: { a: 1 } }];
  await put(service, { contents, goals: [guarded], settings: { ...settings, placements } });
  await live(service, USERS, harmful);
  const [hashId] = await identifyAll(service, ['cart']);
  const cart = { context: { channel: 'in-app', surface: 'cart' } };
  await decide(service, hashId!, cart);
  const before = await waiting(service, hashId!);
  expect(before.map(({ contentId }) => contentId)).toEqual(['a']);
  const shown: string[] = [];
  for (let i = 0; i < 30 && shown.length === 0; i++) {
    const [other] = await identifyAll(service, [`waits${i}`]);
    if ((await decide(service, other!)).body.action.contentId === 'a') shown.push(other!);
  }
  expect(await waiting(service, shown[0]!)).toHaveLength(1);
  clock.set(`${DAY}T12:00:00Z`);
  await look(service);
  expect((await decide(service, hashId!, cart)).body.action.contentId).toBe('a');
  expect(new Set((await waiting(service, hashId!)).map(({ contentId }) => contentId))).toEqual(
    new Set(['a']),
  );
  expect(await waiting(service, shown[0]!)).toEqual([]);
});

test('a catalog says what a guard cannot be', async () => {
  const { service } = await start();
  const validate = async (goal: object, more: object = {}) => {
    const { body } = await service.send<AnswerOf<'validateCatalog'>>('POST', '/v1/catalog/validate', {
      catalog: { contents, goals: [{ ...guarded, ...goal }], settings: { ...settings, ...more } },
    });
    return [body.issues, body.warnings ?? []].map((list) =>
      list.map(({ path, message }) => `${path} ${message}`),
    );
  };
  expect(await validate({})).toEqual([[], []]);
  const [, warnings] = await validate({}, { holdout: 0 });
  expect(warnings).toEqual([
    'goals[0].guard does nothing: there is no holdout group to compare with (settings.holdout)',
  ]);
  for (const worseThan of [0, -0.1, 1.1, 'much'])
    expect((await validate({ guard: { worseThan } }))[0]![0]).toMatch(/^goals\[0\]\.guard\.worseThan /);
  expect((await validate({ guard: {} }))[0]).toHaveLength(1);
  for (const reward of [{ goal: 'unsubscribed' }, { goals: { unsubscribed: 0.5 } }])
    expect((await validate({}, { reward }))[0]).toEqual([
      'goals[0].guard is of a goal that settings.reward learns',
    ]);
  for (const partial of [
    { contents: ['a'] },
    { categories: ['any'] },
    { surface: 'home' },
    { after: 'clicked' },
  ])
    expect((await validate(partial))[0]).toEqual([
      `goals[0].${Object.keys(partial)[0]} must be left out with a guard, which compares all served decisions`,
    ]);
});
