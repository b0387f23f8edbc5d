import { describe, expect, test } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import { rewards } from '../../../src/service/decisions/store/rewards.ts';
import { wallClock } from '../../support/peers/raw-service.ts';
import { onPostgres } from '../../support/postgres/database.ts';
import {
  catalogFile,
  content,
  decide,
  identify,
  log,
  open,
  outcome,
  waiting,
} from '../../support/process/decisions-service.ts';

describe('the decision log and learning', () => {
  test('a decision can be reproduced from its log entry', async () => {
    const service = await open();
    const { body } = await decide(service, 'h');
    const [entry] = await log(service);
    expect(entry).toMatchObject({
      decisionId: body.decisionId,
      hashId: 'h',
      contentId: body.action.contentId,
      context: { channel: 'in-app', surface: 'home', locale: 'en-GB' },
      modelVersion: 0,
      reward: 0,
    });
    expect(entry!.seed).toMatch(/^[0-9a-f]{16}$/);
    expect(entry!.candidates.reduce((sum, c) => sum + c.propensity, 0)).toBeCloseTo(1, 10);
  });

  test('a decision among 500 contents takes at most 2 kB of the log, and pages are bounded in bytes', async () => {
    const first = await open();
    const many = Array.from({ length: 500 }, (_, i) => ({
      ...content(`content-with-a-name-${i}`),
      tags: Array.from({ length: 10 }, (_, tag) => `${(tag + i) % 20} is the number of a tag`),
    }));
    const service = await first.restart({ catalog: catalogFile(first, many) });
    for (let i = 0; i < 3; i++) await decide(service, 'h');
    for (const entry of await log(service)) {
      expect(Buffer.byteLength(JSON.stringify(entry))).toBeLessThan(2048);
      expect(entry.removed).toEqual([]);
      expect(entry.candidates.length + entry.others!.count).toBe(500);
      expect(entry.candidates.map(({ contentId }) => contentId)).toContain(entry.contentId);
      const listed = entry.candidates.reduce((sum, { propensity }) => sum + propensity, 0);
      expect(listed + entry.others!.propensity).toBeCloseTo(1, 10);
    }
    const [row] = await service.platform.store.read((tx) =>
      tx.sql.all<object>('SELECT * FROM decision ORDER BY seq DESC LIMIT 1'),
    );
    expect(Buffer.byteLength(Object.values(row!).join())).toBeLessThan(2048);
    expect(row).toMatchObject({ attributes: expect.stringMatching(/^\[(\d+,){9}\d+\]$/) });
    await service.platform.store.write((tx) =>
      tx.sql.run('UPDATE decision SET context = ?', [JSON.stringify({ surface: 'x'.repeat(600_000) })]),
    );
    const page = await service.send<AnswerOf<'listDecisions'>>('GET', '/v1/decisions');
    expect(page.body.decisions).toHaveLength(1);
    expect(page.body.next).toBe('1');
  });

  test('a decision among 500 contents takes at most 2 kB also where as many rules removed most of them', async () => {
    const first = await open();
    const many = Array.from({ length: 500 }, (_, i) => {
      const traits = [{ trait: `a-trait-with-a-long-name-${i}-é${'x'.repeat(90)}`, equals: 1 }];
      return content(`content-with-a-name-${i}`, i < 20 ? {} : { eligibility: { traits } });
    });
    const service = await first.restart({ catalog: catalogFile(first, many) });
    const excludeCategories = Array.from({ length: 4 }, (_, i) => `${i}${'é'.repeat(120)}`);
    const { body } = await decide(service, 'h', { guardrails: { excludeCategories } });
    const [entry] = await log(service);
    expect(Buffer.byteLength(JSON.stringify(entry))).toBeLessThan(2048);
    expect(Buffer.byteLength(entry!.reason!)).toBeLessThanOrEqual(400);
    expect(entry!.reason).toMatch(/…$/);
    expect(body.action.reason).toContain(entry!.reason!.slice(0, -1));
    expect(entry!.removed!.length).toBeGreaterThan(1);
    expect(entry!.removed!.at(-1)!.rule).toBe('others');
    expect(entry!.removed!.reduce((sum, { count }) => sum + count, 0)).toBe(480);
    expect(entry!.candidates.length + (entry!.others?.count ?? 0)).toBe(20);
  });

  test('says why a decision was made and what was removed by which rule, until the user is erased', async () => {
    const first = await open();
    const pro = (id: string) => content(id, { eligibility: { traits: [{ trait: 'plan', equals: 'pro' }] } });
    const contents = [
      ...['a', 'b', 'c', 'd'].map(pro),
      content('web', { channels: ['web'] }),
      content('excluded', { category: 'insurance' }),
      content('left'),
    ];
    const service = await first.restart({ catalog: catalogFile(first, contents) });
    const hashId = await identify(service, { userId: 'u', traits: { plan: 'free' } });
    const excludeCategories = ['insurance', 'no-such-category'];
    const { body } = await decide(service, hashId, { guardrails: { excludeCategories } });
    const capped = await decide(service, hashId, { guardrails: { maxDailyContacts: 0 } });
    const one = async (id: string) =>
      (await service.send<AnswerOf<'getDecision'>>('GET', `/v1/decisions/${id}`)).body;
    const removed = [
      { rule: 'trait', name: 'plan', count: 4, contentIds: ['a', 'b', 'c'] },
      { rule: 'channel', count: 1, contentIds: ['web'] },
      { rule: 'category', name: 'insurance', count: 1, contentIds: ['excluded'] },
    ];
    expect(body.action.contentId).toBe('left');
    expect(body.action.reason).toMatch(/Warning: no content is in the excluded category no-such-category/);
    expect(await one(body.decisionId)).toMatchObject({ reason: body.action.reason, removed });
    expect((await log(service))[0]).toMatchObject({ reason: body.action.reason, removed });
    const { reason } = capped.body.action;
    expect(await one(capped.body.decisionId)).toMatchObject({ contentId: null, reason, removed: [] });

    expect((await service.send('DELETE', `/v1/users/${hashId}`)).status).toBe(200);
    const erased = await one(body.decisionId);
    expect(erased).toMatchObject({ hashId: '', removed });
    expect(erased).not.toHaveProperty('reason');
  });

  test('can be filtered by user, content and time, and sorted newest first', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const service = await open({ clock });
    for (const user of ['a', 'b', 'a', 'c']) {
      await decide(service, user);
      clock.set(new Date(clock.now() + 60_000).toISOString());
    }
    const entries = await log(service);
    const read = async (query: string) =>
      (await service.send<AnswerOf<'listDecisions'>>('GET', `/v1/decisions?${query}`)).body;
    const users = async (query: string) => (await read(query)).decisions.map(({ hashId }) => hashId);
    expect(await users('hashId=a')).toEqual(['a', 'a']);
    expect(await users('order=newest')).toEqual(['c', 'a', 'b', 'a']);
    const newest = await read('order=newest&limit=3');
    expect(await users(`order=newest&after=${newest.next}`)).toEqual(['a']);
    expect(await users(`since=${entries[1]!.at}&until=${entries[3]!.at}`)).toEqual(['b', 'a']);
    const shown = entries.filter(({ contentId }) => contentId === entries[2]!.contentId);
    expect(await users(`contentId=${entries[2]!.contentId}`)).toEqual(shown.map(({ hashId }) => hashId));
    expect((await service.send('GET', '/v1/decisions?since=yesterday')).status).toBe(400);
  });

  test('pages through the log', async () => {
    const service = await open();
    for (let i = 0; i < 5; i++) await decide(service, `h${i}`);
    const seen: string[] = [];
    let next: string | null = '0';
    while (next !== null) {
      const page: { body: AnswerOf<'listDecisions'> } = await service.send(
        'GET',
        `/v1/decisions?after=${next}&limit=2`,
      );
      seen.push(...page.body.decisions.map((d) => d.hashId));
      next = page.body.next;
    }
    expect(seen).toEqual(['h0', 'h1', 'h2', 'h3', 'h4']);
    expect((await service.send('GET', '/v1/decisions?limit=0')).status).toBe(400);
  });

  test('only the best outcome counts, and the model learns it', async () => {
    const service = await open();
    const { body } = await decide(service, 'h');
    for (const [type, reward] of [
      ['opened', 0.2],
      ['clicked', 0.6],
      ['opened', 0.6],
      ['actioned', 1],
      ['actioned', 1],
      ['dismissed', 1],
    ] as const) {
      await outcome(service, body.decisionId, type);
      expect((await log(service))[0]!.reward).toBe(reward);
    }
    await expect.poll(() => service.idle()).toBe(true);
    const again = (await decide(service, 'h2')).body;
    expect((await log(service))[1]!.modelVersion).toBeGreaterThan(0);
    const rankings = [again.action, ...again.alternatives].map((a) => [a.contentId, a.ranking] as const);
    const winner = rankings.find(([id]) => id === body.action.contentId);
    if (winner)
      for (const [id, ranking] of rankings) if (id !== winner[0]) expect(winner[1]).toBeGreaterThan(ranking);
  });

  test('contents learn from one another by their tags', async () => {
    const first = await open();
    const two = ['a', 'b', 'plain'].map((id) => ({
      ...content(id),
      category: id,
      surfaces: id === 'a' ? ['home'] : ['cart'],
      ...(id === 'plain' ? {} : { tags: ['sport'] }),
    }));
    const service = await first.restart({ catalog: catalogFile(first, two) });
    for (let i = 0; i < 20; i++)
      await outcome(service, (await decide(service, `h${i}`)).body.decisionId, 'actioned');
    await expect.poll(() => service.idle()).toBe(true);
    const { body } = await service.send<AnswerOf<'decide'>>('POST', '/v1/decisioning/decide', {
      hashId: 'h',
      context: { channel: 'in-app', surface: 'cart', locale: 'en-GB' },
    });
    const rankings = new Map([body.action, ...body.alternatives].map((a) => [a.contentId, a.ranking]));
    expect([...rankings.keys()].sort()).toEqual(['b', 'plain']);
    expect(rankings.get('b')).toBeGreaterThan(rankings.get('plain')!);
  });

  test('outcomes and silence enter the reward log in the order in which decisions began to count', async () => {
    const service = await open();
    const made: string[] = [];
    for (let i = 0; i < 6; i++) made.push((await decide(service, `h${i}`)).body.decisionId);
    await outcome(service, made[4]!, 'opened');
    await outcome(service, made[4]!, 'clicked');
    await outcome(service, made[2]!, 'actioned');
    expect((await log(service)).map(({ reward }) => reward)).toEqual([0, 0, 1, 0, 0.6, 0]);
    await expect.poll(() => service.idle()).toBe(true);
    const { rows } = await service.platform.store.read((tx) => rewards.after(tx, service.workspace, 0, 100));
    // An outcome that came after its decision was settled is a correction.
    const first = rows.filter(({ from }) => from === null);
    const order = first.map(({ decisionId }) => decisionId);
    // On PostgreSQL a decision that an outcome has locked just then is settled a round later.
    if (onPostgres) expect(new Set(order)).toEqual(new Set(made));
    else expect(order).toEqual(made);
    const best = new Map(rows.map(({ decisionId, to }) => [decisionId, to]));
    expect(made.map((id) => best.get(id))).toEqual([0, 0, 1, 0, 0.6, 0]);
  });

  test('without polls a decision counts at once, and can be corrected within the window', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const first = await open({ clock });
    const settings = { rewardWindowMinutes: 30 };
    const catalog = catalogFile(first, [content('a'), content('b')], settings);
    const service = await first.restart({ catalog });
    const rewards = async () => (await log(service)).map(({ reward }) => reward);
    const [early, late] = [await decide(service, 'h'), await decide(service, 'h2')];
    expect(await rewards()).toEqual([0, 0]);
    clock.set('2026-05-01T10:29:00Z');
    await outcome(service, early.body.decisionId, 'actioned');
    clock.set('2026-05-01T10:31:00Z');
    expect((await outcome(service, late.body.decisionId, 'actioned')).status).toBe(202);
    expect(await rewards()).toEqual([1, 0]);
  });

  test('with polls a decision counts from the time it was served', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const service = await open({ clock });
    expect(await waiting(service, 'someone')).toEqual([]);
    const served = await decide(service, 'h');
    await decide(service, 'never-there');
    const rewards = async () => (await log(service)).map(({ reward }) => reward);
    expect(await rewards()).toEqual([null, null]);
    expect(await waiting(service, 'h')).toHaveLength(1);
    expect(await rewards()).toEqual([0, null]);
    expect(await waiting(service, 'h')).toHaveLength(1);
    await outcome(service, served.body.decisionId, 'clicked');
    expect(await rewards()).toEqual([0.6, null]);
    clock.set('2026-05-09T10:00:00Z');
    await decide(service, 'h');
    expect(await rewards()).toEqual([0.6, null, 0]);
  });

  test('silence lowers the estimate of a content within the same day', async () => {
    const first = await open();
    const catalog = catalogFile(first, [content('ignored', { prior: 0.5 })]);
    const service = await first.restart({ catalog });
    for (let i = 0; i < 40; i++) await decide(service, `h${i}`);
    await expect.poll(() => service.idle()).toBe(true);
    expect((await decide(service, 'next')).body.action.ranking).toBeLessThan(0.1);
  });

  test('a broken model still gives an answer, and learns again from the log', async () => {
    const service = await open();
    const { body } = await decide(service, 'h');
    await outcome(service, body.decisionId, 'actioned');
    await expect.poll(() => service.idle()).toBe(true);
    await service.platform.store.write((tx) => tx.sql.run("UPDATE model_piece SET body = 'garbage'"));
    const opened = await service.restart();
    const answer = await decide(opened, 'h');
    expect(answer.status).toBe(200);
    expect(answer.body.action.type).toBe('in-app-message');
    expect(opened.logged.join()).toMatch(/the learned model cannot be read/);
    await outcome(opened, answer.body.decisionId, 'clicked');
    await expect.poll(() => opened.idle()).toBe(true);
    await decide(opened, 'h');
    const last = (await log(opened)).at(-1)!;
    expect(last.modelVersion).toBeGreaterThan(1);
  });
});
