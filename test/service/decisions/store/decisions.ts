import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../../../src/service/admin/create-workspace.ts';
import { toCatalog } from '../../../../src/service/catalog/catalog.ts';
import { DEFAULT_CATALOG } from '../../../../src/service/catalog/default.ts';
import type { Catalogs } from '../../../../src/service/catalog/follow.ts';
import { decideEndpoint } from '../../../../src/service/decisions/decide.ts';
import { decisionSeeds } from '../../../../src/service/decisions/decision-seed.ts';
import { rewardAfter } from '../../../../src/service/decisions/engine/reward.ts';
import { serialiseModel } from '../../../../src/service/decisions/engine/snapshot.ts';
import { GuardsInForce } from '../../../../src/service/decisions/goals/guards-in-force.ts';
import { LearnedModels } from '../../../../src/service/decisions/learned-models.ts';
import { messageEndpoints } from '../../../../src/service/decisions/messages.ts';
import { decisions } from '../../../../src/service/decisions/store/decisions.ts';
import { messages } from '../../../../src/service/decisions/store/messages.ts';
import { models } from '../../../../src/service/decisions/store/models.ts';
import { MAX_CHANNELS, polls } from '../../../../src/service/decisions/store/polls.ts';
import { rewards } from '../../../../src/service/decisions/store/rewards.ts';
import { EventSignals } from '../../../../src/service/events/event-signals.ts';
import { recentEvents } from '../../../../src/service/events/store/recent-events.ts';
import type { Descriptor } from '../../../../src/service/http/endpoint.ts';
import { createCipher } from '../../../../src/service/platform/crypto/cipher.ts';
import type { Store, Tx } from '../../../../src/service/platform/store/store.ts';
import { dayAround } from '../../../../src/service/users/contact-day.ts';
import { contacts } from '../../../../src/service/users/store/contacts.ts';
import { users } from '../../../../src/service/users/store/users.ts';
import type { Engine } from '../../platform/store/conformance.ts';

const WORKSPACE = { id: 'ws_decide', region: null, mode: 'test' as const };
const cipher = createCipher(randomBytes(32));

/** What users, decisions and learning promise on any engine, with two processes at work. */
export function decides(name: string, prepare: () => Promise<Engine>): void {
  describe(`decisions on ${name}`, () => {
    let engine: Engine;
    let nodes: Store[];
    beforeAll(async () => {
      engine = await prepare();
      nodes = await Promise.all([engine.open(), engine.open()]);
      await nodes[0]!.write((tx) => createWorkspaceRows(tx, WORKSPACE));
    });
    afterAll(async () => {
      for (const node of nodes ?? []) await node.close();
      await engine?.close?.();
    });
    const store = () => nodes[0]!;
    const catalog = toCatalog(DEFAULT_CATALOG);

    /** What the pipeline does with a request: the handler inside one transaction of a node. */
    const needs = (store: Store) => ({
      store,
      cipher,
      catalogs: { of: async () => catalog } as unknown as Catalogs,
      repeatable: true,
      guards: new GuardsInForce(store, systemClock),
      models: new LearnedModels(() => {}),
      signals: new EventSignals(),
      decisionSeed: decisionSeeds('store'),
    });
    const decide = (node: Store, hashId: string, maxDailyContacts?: number) =>
      node.write(async (tx) => {
        const guardrails = maxDailyContacts === undefined ? {} : { maxDailyContacts };
        const body = { hashId, guardrails };
        const call = { tx, workspace: WORKSPACE, body, now: tx.now };
        const reply = await decideEndpoint(needs(node)).handle(call as never);
        return reply.body as { decisionId: string; action: { type: string; contentId: string | null } };
      });
    const outcome = (node: Store, decisionId: string, type: string) =>
      node.write((tx) => {
        const request = { tx, workspace: WORKSPACE, params: { decisionId }, body: { type } };
        const call = { ...request, requestId: 'r', now: tx.now };
        return (messageEndpoints(needs(node)).messageOutcome as Descriptor<'messageOutcome'>).handle(
          call as never,
        );
      });

    it('keeps the fields that an upsert omits, and decrypts what it encrypted', async () => {
      const upsert = (...changes: Parameters<typeof users.upsert>[3][number][]) =>
        store().write((tx) => users.upsert(tx, cipher, WORKSPACE.id, changes));
      await upsert(
        { userId: 'u1', hashId: 'h1', name: 'Ada', traits: { plan: 'pro' }, timeZone: 'Asia/Tokyo' },
        { userId: 'u2', hashId: 'h2', phone: '1' },
        { userId: 'u1', hashId: 'h1', phone: '7' },
      );
      await upsert({ userId: 'u1', hashId: 'h1', locale: 'ja-JP', name: 'Ada L' });
      const [known, personal, missing] = await nodes[1]!.read(async (tx) => [
        await users.find(tx, cipher, WORKSPACE.id, 'h1'),
        await users.personal(tx, cipher, WORKSPACE.id, 'h1'),
        await users.find(tx, cipher, WORKSPACE.id, 'h3'),
      ]);
      expect(known).toEqual({
        userId: 'u1',
        timeZone: 'Asia/Tokyo',
        locale: 'ja-JP',
        traits: { plan: 'pro' },
      });
      expect(personal).toEqual({ name: 'Ada L', phone: '7' });
      expect(missing).toBeUndefined();
      await upsert(...Array.from({ length: 200 }, (_, i) => ({ userId: `m${i}`, hashId: `m${i}` })));
      expect(await store().write((tx) => users.existsAndLock(tx, WORKSPACE.id, 'm199'))).toBe(true);
    });

    it('never breaks a cap, whichever node is asked', async () => {
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, i) => decide(nodes[i % 2]!, 'capped', 7)),
      );
      expect(answers.filter(({ action }) => action.type !== 'none')).toHaveLength(7);
      const { rows: waiting } = await nodes[1]!.read((tx) => messages.waiting(tx, WORKSPACE.id, 'capped'));
      expect(waiting).toHaveLength(7);
      const total = await store().read((tx) =>
        contacts.count(tx, WORKSPACE.id, 'capped', 0, Number.MAX_SAFE_INTEGER),
      );
      expect(total).toBe(7);
    });

    it('learns each outcome once and in one order with any number of learners', async () => {
      const made = await Promise.all(Array.from({ length: 40 }, (_, i) => decide(nodes[i % 2]!, `r${i}`)));
      const types = ['opened', 'clicked', 'actioned', 'clicked', 'dismissed'];
      const learned = [new LearnedModels(() => {}), new LearnedModels(() => {})] as const;
      const learn = async (i: 0 | 1) => {
        while ((await learned[i].follow(nodes[i]!, WORKSPACE.id)) > 0);
        await learned[i].publish(nodes[i]!, WORKSPACE.id, async () => true);
      };
      await Promise.all([
        ...made.flatMap(({ decisionId }, i) =>
          types.slice(0, 1 + (i % 5)).map((type, j) => outcome(nodes[(i + j) % 2]!, decisionId, type)),
        ),
        learn(0),
        learn(1),
      ]);
      await Promise.all([learn(0), learn(1)]);
      const expected = new Map(
        made.map(({ decisionId }, i) => [
          decisionId,
          types.slice(0, 1 + (i % 5)).reduce((known: number | null, type) => rewardAfter(known, type), 0),
        ]),
      );
      const { entries, head, model, other, log, heads } = await store().read(async (tx) => ({
        entries: (await rewards.after(tx, WORKSPACE.id, 0, 1000)).rows,
        head: await models.head(tx, WORKSPACE.id),
        model: await new LearnedModels(() => {}).current(tx, WORKSPACE.id),
        other: await learned[1].current(tx, WORKSPACE.id),
        log: (await decisions.after(tx, WORKSPACE.id, 0, 1000)).rows,
        heads: await rewards.heads(tx, [WORKSPACE.id, 'ws_none']),
      }));
      expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, i) => i + 1));
      expect(head!.learnedSeq).toBe(entries.length);
      expect(heads).toEqual([{ workspaceId: WORKSPACE.id, seq: entries.length }]);
      expect(model.version).toBe(head!.version);
      let seen = model.pending.size;
      for (const known of model.contents.values()) seen += known.seen;
      expect(seen).toBe(log.filter(({ contentId }) => contentId !== null).length);
      expect(serialiseModel(other)).toBe(serialiseModel(model));
      for (const { decisionId, reward } of log)
        if (expected.has(decisionId)) expect(reward).toBe(expected.get(decisionId));
    });

    it('stores polls of a bounded number of channels, and forgets old ones', async () => {
      const seen = (channel: string, ageMs = 0) =>
        store().write((tx) => polls.seen({ ...tx, now: tx.now - ageMs }, 'ws_polls', channel));
      for (let i = 0; i < MAX_CHANNELS; i++) await seen(`channel ${i}`, 40 * 86_400_000);
      await seen('one too many');
      await seen('channel 7');
      const polled = (channel: string) =>
        store().read(async (tx) => {
          const last = await polls.last(tx, 'ws_polls', channel);
          return last !== undefined && last >= tx.now - 86_400_000;
        });
      expect([await polled('one too many'), await polled('channel 7')]).toEqual([false, true]);
      const removed = await store().write((tx) => polls.purge(tx, 'ws_polls', 1000));
      expect(removed).toBe(MAX_CHANNELS - 1);
      await seen('one too many');
      expect(await polled('one too many')).toBe(true);
    });

    it('finds nothing to do for a poll whose channel was noted within a minute, and whose user has no message', async () => {
      await decide(store(), 'waited for', 7);
      const nothing = (hashId: string, channel: string) =>
        polls.findNothing(store(), WORKSPACE.id, hashId, channel);
      const seen = (channel: string, ageMs: number) =>
        store().write((tx) => polls.seen({ ...tx, now: tx.now - ageMs }, WORKSPACE.id, channel));
      await seen('noted', 30_000);
      await seen('noted before', 90_000);
      expect(await nothing('nobody', 'noted')).toBe(true);
      expect(await nothing('nobody', 'noted before')).toBe(false);
      expect(await nothing('nobody', 'never')).toBe(false);
      expect(await nothing('waited for', 'noted')).toBe(false);
    });

    it('returns a decision as it was logged', async () => {
      const { decisionId, action } = await decide(store(), 'logged');
      const { rows: log } = await nodes[1]!.read((tx) => decisions.after(tx, WORKSPACE.id, 0, 1000));
      const entry = log.find((decision) => decision.decisionId === decisionId);
      expect(entry).toMatchObject({
        hashId: 'logged',
        contentId: action.contentId,
        reward: 0,
        context: {},
      });
      expect(entry!.candidates.reduce((sum, { propensity }) => sum + propensity, 0)).toBeCloseTo(1, 10);
    });

    it('finds the recent events of one user, and removes what is past its time', async () => {
      const day = 86_400_000;
      await store().write((tx) =>
        recentEvents.add(
          tx,
          WORKSPACE.id,
          Array.from({ length: 75 }, (_, i) => ({
            number: i,
            userId: `u${i % 2}`,
            event: i % 3 ? 'a' : 'b',
            at: tx.now - i * 10 * day,
          })),
        ),
      );
      const found = await store().read((tx) =>
        recentEvents.count(tx, WORKSPACE.id, 'u1', [
          { key: 'recent a', event: 'a', since: tx.now - 55 * day, enough: 9 },
          { key: 'recent b', event: 'b', since: tx.now - 55 * day, enough: 9 },
          { key: 'some a', event: 'a', since: 0, enough: 7 },
          { key: 'third', event: 'a', since: tx.now - day / 7 - 50 * day, enough: 9 },
        ]),
      );
      expect([...found]).toEqual([
        ['recent a', 2],
        ['recent b', 1],
        ['some a', 7],
        ['third', 2],
      ]);
      expect(
        await store().write((tx) =>
          recentEvents.purge(tx, WORKSPACE.id, 1000, {
            events: null,
            decisions: null,
            notifications: null,
            eventIds: null,
            outcomes: null,
          }),
        ),
      ).toBe(38);
      expect(await store().write((tx) => contacts.purge(tx, WORKSPACE.id, 1000))).toBe(0);
      expect(await store().write((tx) => messages.purge(tx, WORKSPACE.id, 1000))).toBe(0);
    });

    it('serves messages on a later day within the cap of their decisions, whichever node is asked', async () => {
      const later = <T>(node: Store, work: (tx: Tx) => Promise<T>) =>
        node.write((tx) => work({ ...tx, now: tx.now + 86_400_000 }));
      const call = (tx: Tx, more: object) => ({ tx, workspace: WORKSPACE, now: tx.now, ...more }) as never;
      const { handle } = messageEndpoints(needs(store())).listMessages as Descriptor<'listMessages'>;
      const poll = async (node: Store) => {
        const reply = await later(node, (tx) => handle(call(tx, { query: { hashId: 'later' } })));
        return (reply.body as { messages: object[] }).messages.length;
      };
      const contactsThen = () =>
        later(store(), (tx) => {
          const { start, end } = dayAround(tx.now, undefined);
          return contacts.count(tx, WORKSPACE.id, 'later', start, end);
        });
      for (let i = 0; i < 5; i++) await decide(store(), 'later', 5);
      expect(await contactsThen()).toBe(0);
      for (let i = 0; i < 3; i++)
        await later(store(), (tx) => contacts.add(tx, WORKSPACE.id, 'later', 'notification', `n${i}`));
      const seen = await Promise.all(Array.from({ length: 10 }, (_, i) => poll(nodes[i % 2]!)));
      expect(Math.max(...seen)).toBe(2);
      expect(await contactsThen()).toBe(5);
      // A decision of that day for the same place replaces them all.
      const { handle: decideLater } = decideEndpoint(needs(store()));
      await later(store(), (tx) => decideLater(call(tx, { body: { hashId: 'later' } })));
      expect(await poll(nodes[1]!)).toBe(1);
      expect(await contactsThen()).toBe(6);
    });
  });
}
