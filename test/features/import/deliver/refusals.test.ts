import { expect, test } from 'vitest';
import { KeyedService, lost, refusedConnection } from '../../../support/peers/keyed-service.ts';
import { event, events, importer } from '../../../support/scenarios/importer.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

test.each(['all', 'first', 'none'] as const)(
  'invalid records among 1,000 (details: %s): stores every valid record once, rejects every invalid one with the service’s message',
  async (details) => {
    for (const bad of [0, 1, 7, 999, 1000]) {
      const isBad = (n: number) => (bad >= 999 ? n < bad : n % 143 === 5 && n < 143 * bad);
      const service = new KeyedService({
        details,
        poison: (record) => (isBad(Number(/u(\d+)/.exec(record)![1])) ? 'no such event' : undefined),
      });
      const { run, rejects } = importer({ 'a.ndjson': events(1000).join('\n') }, service);
      const { result, failure } = await run({ name: { batchSize: 1000 } as never });
      const numbers = events(1000).map((_, n) => n);
      expect(failure).toBeUndefined();
      expect(result).toMatchObject({ read: 1000, accepted: 1000 - bad, rejected: bad, unsent: 0 });
      expect(service.stored.toSorted()).toEqual(
        numbers
          .filter((n) => !isBad(n))
          .map(event)
          .toSorted(),
      );
      const expected = numbers.filter(isBad);
      expect((rejects() ?? []).map(({ raw }) => raw)).toEqual(expected.map(event));
      for (const [at, reject] of (rejects() ?? []).entries())
        expect(reject).toEqual({
          file: 'a.ndjson',
          line: expected[at]! + 1,
          offset: Buffer.byteLength(
            events(expected[at]!)
              .map((text) => `${text}\n`)
              .join(''),
          ),
          field: details === 'none' || reject.field === 'record' ? 'record' : 'event',
          reason: reject.field === 'record' ? 'refused: no such event' : 'no such event',
          status: 400,
          requestId: expect.stringMatching(/^req_/),
          raw: event(expected[at]!),
        });
    }
  },
);

test('a refused batch that was interrupted during bisection is bisected again without duplicates', async () => {
  for (let stop = 2; stop < 14; stop++) {
    const poison = (record: string) => (/u(3|11)"/.test(record) ? 'bad' : undefined);
    const service = new KeyedService({
      poison,
      details: 'none',
      after: (count) => (count >= stop ? lost() : undefined),
    });
    const { run, rejects } = importer({ 'a.ndjson': events(16).join('\n') }, service);
    await run({ name: { batchSize: 16 } as never });
    service.habits = { poison, details: 'none' };
    const { result } = await run({ name: { batchSize: 16 } as never, mode: 'resume' });
    expect(result).toMatchObject({ accepted: 14, rejected: 2, unsent: 0 });
    expect(service.stored.toSorted()).toEqual(
      events(16)
        .filter((text) => !poison(text))
        .toSorted(),
    );
    expect(rejects()).toHaveLength(2);
  }
});

test('a refusal of the whole import ends it without bisection', async () => {
  const service = new KeyedService({
    before: (count) => (count > 2 ? { status: 401, message: 'no' } : undefined),
  });
  const { run } = importer({ 'a.ndjson': events(100).join('\n') }, service);
  const { result, failure } = await run();
  expect(failure).toMatchObject({ error: { name: 'Refused', answer: { status: 401 } } });
  expect(result.accepted).toBe(20);
  expect(service.bodies.length).toBeLessThanOrEqual(6);
});

test('--max-wait retries through an outage with all senders paused together, and then gives up', async () => {
  const clock = new VirtualClock();
  let down: number | undefined;
  const service = new KeyedService({
    before: () => {
      down ??= clock.now() + 100_000;
      return clock.now() < down ? refusedConnection() : undefined;
    },
  });
  const { run, notices } = importer({ 'a.ndjson': events(40).join('\n') }, service);
  const ended = async (work: Promise<unknown>) => {
    let over = false;
    void work.finally(() => {
      over = true;
    });
    while (!over) await clock.advance(clock.asleep > 0 ? 500 : 0);
  };
  const survived = run({ maxWait: 3_600_000 }, { clock });
  await ended(survived);
  expect((await survived).result).toMatchObject({ accepted: 40, unsent: 0 });
  expect(notices[0]).toMatch(/^the service cannot be reached; retrying in \d+ s \(--max-wait\)$/);
  // Four senders for about eight pauses, not thousands of requests.
  expect(service.bodies.length).toBeLessThan(60);

  down = Number.POSITIVE_INFINITY;
  const given = run({ maxWait: 60_000, mode: 'restart' }, { clock });
  await ended(given);
  expect((await given).failure).toMatchObject({ error: { name: 'Unavailable' } });
});

test('--max-wait counts what the requests took that failed', async () => {
  const clock = new VirtualClock();
  let requests = 0;
  const service = new KeyedService({
    before: async () => {
      requests++;
      await clock.sleep(15_000);
      return refusedConnection();
    },
  });
  const { run } = importer({ 'a.ndjson': events(1).join('\n') }, service);
  let over = false;
  const given = run({ maxWait: 10_000 }, { clock }).finally(() => {
    over = true;
  });
  while (!over) await clock.advance(clock.asleep > 0 ? 500 : 0);
  expect((await given).failure).toMatchObject({ error: { name: 'Unavailable' } });
  expect(requests).toBe(1);
});

test('a stopped import completes requests in flight and leaves the rest to --resume', async () => {
  const stop = new AbortController();
  const service = new KeyedService({
    before: (count) => {
      if (count === 5) stop.abort();
      return undefined;
    },
  });
  const { run } = importer({ 'a.ndjson': events(200).join('\n') }, service);
  const { result, interrupted } = await run({}, { stop: stop.signal });
  expect(interrupted).toBe(true);
  expect(result.accepted).toBe(service.stored.length);
  expect(result.accepted).toBeLessThan(200);
  expect((await run({ mode: 'resume' })).result).toMatchObject({
    read: 200,
    skipped: result.accepted,
    unsent: 0,
  });
  expect(service.stored.toSorted()).toEqual(events(200).toSorted());
});

test('--max-errors stops, and --resume continues after the error', async () => {
  const { run, service } = importer({ 'a.ndjson': [...events(15), 'bad', ...events(15, 15)].join('\n') });
  const first = await run({ maxErrors: 1 });
  expect(first).toMatchObject({
    tooManyErrors: true,
    result: { accepted: 15, rejected: 1, resumeCommand: 'go on' },
  });
  const second = await run({ maxErrors: 1, mode: 'resume' });
  expect(second).toMatchObject({ tooManyErrors: false, result: { accepted: 15, rejected: 0, skipped: 16 } });
  expect(service.stored.toSorted()).toEqual(events(30).toSorted());
});

test('batches with an ambiguous outcome for over a day are reported before they are sent again', async () => {
  const clock = new VirtualClock();
  const service = new KeyedService({ after: () => lost() });
  const { run, notices } = importer({ 'a.ndjson': events(4).join('\n') }, service);
  await run({}, { clock });
  service.habits = { before: () => void expect(notices).toHaveLength(1) };
  await clock.advance(25 * 3600 * 1000);
  await run({ mode: 'resume' }, { clock });
  expect(notices[0]).toMatch(
    /^a.ndjson: the outcome of lines 1 to 4 \(4 records\) is unknown since .*Z, more than 24 hours/,
  );
});
