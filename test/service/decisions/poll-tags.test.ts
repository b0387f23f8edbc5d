import { expect, test } from 'vitest';
import { wallClock } from '../../support/peers/raw-service.ts';
import { catalogFile, content } from '../../support/process/decisions-service.ts';
import { startTestService } from '../../support/process/service.ts';
import { json } from '../../support/process/webhooks-service.ts';
import { tempDir } from '../../support/temp.ts';

const DAY = 86_400_000;

/** A service whose catalog can change, and an app that polls with the tag of its last answer. */
async function polling() {
  const folder = tempDir();
  const clock = wallClock('2026-05-01T10:00:00Z');
  const catalog = catalogFile(folder, [content('a')]);
  const service = await startTestService({ catalog, clock });
  let tag: string | undefined;
  let shown: string[] = [];
  /** The status of a poll, and what the app then has. */
  const poll = async () => {
    const headers: Record<string, string> = tag === undefined ? {} : { 'if-none-match': tag };
    const answer = await service.fetch('/v1/messages?hashId=h', { headers });
    if (answer.status === 304) expect([await answer.text(), answer.headers.get('etag')]).toEqual(['', tag]);
    else
      shown = ((await answer.json()) as { messages: { contentId: string }[] }).messages.map(
        ({ contentId }) => contentId,
      );
    tag = answer.headers.get('etag') ?? undefined;
    expect(answer.headers.get('x-service-ratelimit-remaining')).not.toBeNull();
    return [answer.status, ...shown];
  };
  const decide = async (rest: object = {}): Promise<string> => {
    const body = { hashId: 'h', context: { channel: 'in-app', surface: 'home' }, ...rest };
    return (await json(service.fetch('/v1/decisioning/decide', { body }), 200)).decisionId;
  };
  const rows = (sql: string) =>
    service.platform.store.read((tx) => tx.sql.all<{ at: number }>(sql, [service.workspace]));
  return { service, clock, folder, poll, decide, rows };
}

test('a poll is answered with 304 as long as its answer would be the same', async () => {
  const { service, clock, folder, poll, decide } = await polling();
  expect([await poll(), await poll()]).toEqual([[200], [304]]);
  const first = await decide();
  expect([await poll(), await poll(), await poll()]).toEqual([
    [200, 'a'],
    [304, 'a'],
    [304, 'a'],
  ]);
  await service.fetch(`/v1/messages/${first}/outcomes`, { body: { type: 'opened' } });
  expect(await poll()).toEqual([304, 'a']);
  await service.fetch(`/v1/messages/${first}/outcomes`, { body: { type: 'clicked' } });
  expect([await poll(), await poll()]).toEqual([[200], [304]]);
  await decide();
  expect(await poll()).toEqual([200, 'a']);
  // Withdrawn at the poll, without a word from anybody to the app.
  catalogFile(folder, [content('a', { activeUntil: '2026-05-03T00:00:00Z' })]);
  clock.set(new Date(clock.now() + 2 * DAY).toISOString());
  await expect.poll(poll).toEqual([200]);
  expect(await poll()).toEqual([304]);
});

test('a poll that is answered with 304 takes the contact of a later day all the same', async () => {
  const { clock, poll, decide, rows } = await polling();
  const contacts = async () =>
    (await rows('SELECT at_ms AS at FROM contact WHERE workspace_id = ? ORDER BY at_ms')).map(({ at }) =>
      new Date(Number(at)).toISOString().slice(0, 10),
    );
  await decide({ guardrails: { maxDailyContacts: 1 } });
  expect([await poll(), await poll()]).toEqual([
    [200, 'a'],
    [304, 'a'],
  ]);
  clock.set('2026-05-02T10:00:00Z');
  expect([await poll(), await poll()]).toEqual([
    [304, 'a'],
    [304, 'a'],
  ]);
  expect(await contacts()).toEqual(['2026-05-01', '2026-05-02']);
});

test('a channel is noted as polled again while nothing changes', async () => {
  const { clock, poll, rows } = await polling();
  const noted = async () =>
    Number((await rows('SELECT at_ms AS at FROM polled_channel WHERE workspace_id = ?'))[0]!.at);
  await poll();
  const before = await noted();
  clock.set(new Date(clock.now() + 59_000).toISOString());
  expect([await poll(), await noted()]).toEqual([[304], before]);
  clock.set(new Date(clock.now() + 10_000).toISOString());
  expect(await poll()).toEqual([304]);
  expect(await noted()).toBeGreaterThanOrEqual(before + 69_000);
});
