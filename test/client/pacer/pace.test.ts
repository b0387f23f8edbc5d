import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pace } from '../../../src/client/pacer/pace.ts';
import { generator } from '../../support/generator.ts';
import {
  type PacedOptions,
  pacedClient,
  Simulation,
  unpacedClient,
} from '../../support/scenarios/pacing-simulation.ts';

type Fate = ReturnType<NonNullable<PacedOptions['fate']>>;

const WINDOW = 60_000;
const MINUTES = 60_000;

function near(seed: number, most = 40): Pick<PacedOptions, 'latency' | 'random'> {
  const random = generator(seed);
  return { random, latency: () => ({ there: 1 + random() * most, back: 1 + random() * most }) };
}

describe('alone', () => {
  it.each([
    [60, 0.96],
    [300, 0.98],
    [600, 0.98],
  ])('uses nearly the whole quota of %i over three windows without a 429', (limit, least) => {
    const simulation = new Simulation(limit);
    const client = pacedClient(simulation, near(limit));
    simulation.run(3 * WINDOW);
    expect(client.refused).toBe(0);
    expect(client.accepted / (3 * limit)).toBeGreaterThanOrEqual(least);
  });

  it('never gets a 429, whatever the network delays, reorders or loses', () => {
    const millis = fc.oneof(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 1, max: 90_000 }),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.tuple(millis, millis), { minLength: 1, maxLength: 30 }),
        fc.array(fc.constantFrom<Fate>('answered', 'answered', 'answered', 'lost', 'unsent'), {
          minLength: 1,
        }),
        fc.integer({ min: 1, max: 50 }),
        fc.constantFrom(0.1, 0.5, 1),
        fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 100 })),
        fc.constantFrom(1000, WINDOW),
        (limit, delays, fates, concurrency, share, job, windowMs) => {
          const simulation = new Simulation(limit, windowMs);
          let turn = 0;
          let fate = 0;
          const client = pacedClient(simulation, {
            random: generator(7),
            concurrency,
            share,
            job,
            latency: () => {
              const [there, back] = delays[turn++ % delays.length]!;
              return { there, back };
            },
            // The limit is learned from the first response.
            fate: () => (fate++ === 0 ? 'answered' : fates[fate % fates.length]!),
          });
          simulation.run(4 * WINDOW);
          expect(client.refused).toBe(0);
          expect(client.sent).toBeGreaterThan(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each(['even', 'young', 'old'])('takes earlier use of the limit into account: %s', (ages) => {
    const simulation = new Simulation(600);
    const age = { even: (i: number) => i * 150, young: (i: number) => i * 5, old: (i: number) => 59_000 - i };
    simulation.used(Array.from({ length: 400 }, (_, index) => age[ages as keyof typeof age](index)));
    const client = pacedClient(simulation, near(3));
    simulation.run(10 * MINUTES);
    expect(client.refused).toBe(0);
    expect(client.accepted / 6000).toBeGreaterThanOrEqual(0.92);
  });

  it('uses no more than its share', () => {
    const simulation = new Simulation(600);
    const client = pacedClient(simulation, { ...near(4), share: 0.5 });
    simulation.run(3 * WINDOW);
    expect(client.accepted).toBeLessThanOrEqual(3 * 300);
    expect(client.accepted).toBeGreaterThanOrEqual(3 * 300 * 0.96);
  });

  it('sends a job that fits in half of what remains at once, and a larger one evenly', () => {
    const small = new Simulation(600);
    const burst = pacedClient(small, { ...near(5), job: 200 });
    small.run(5000);
    expect(burst.accepted).toBe(200);
    const large = new Simulation(600);
    const even = pacedClient(large, { ...near(5), job: 500 });
    large.run(5000);
    expect(even.accepted).toBeLessThanOrEqual(60);
  });

  it.each([2000, 10_000, 300_000])('learns that the window is %i ms long', (windowMs) => {
    const simulation = new Simulation(20, windowMs);
    const client = pacedClient(simulation, { ...near(9), windowMs: WINDOW });
    simulation.run(10 * windowMs);
    expect(client.refused).toBe(0);
    expect(client.accepted / 200).toBeGreaterThanOrEqual(0.6);
  });

  it('adapts to a raised and a lowered limit', () => {
    const simulation = new Simulation(60);
    const client = pacedClient(simulation, near(6));
    simulation.at(simulation.start + 2 * WINDOW, () => {
      simulation.limit = 600;
    });
    simulation.run(4 * WINDOW);
    expect(client.refused).toBe(0);
    expect(client.accepted).toBeGreaterThan(2 * 57 + 1000);
    simulation.limit = 60;
    simulation.run(8 * WINDOW);
    expect(client.refused).toBeLessThanOrEqual(8 + 7);
  });
});

describe('with other clients', () => {
  it.each([60, 300, 600])(
    'an unpaced client that uses a fifth of %i is almost never refused, nor is this one',
    (limit) => {
      const sum = { sent: 0, refused: 0, theirs: 0, theirsRefused: 0, let: 0 };
      for (let seed = 1; seed <= 6; seed++) {
        const simulation = new Simulation(limit);
        const other = unpacedClient(simulation, limit * 0.2, generator(seed * 31));
        const client = pacedClient(simulation, near(seed));
        simulation.run(10 * MINUTES);
        sum.sent += client.sent;
        sum.refused += client.refused;
        sum.theirs += other.sent;
        sum.theirsRefused += other.refused;
        sum.let += client.accepted + other.accepted;
      }
      expect((sum.refused / sum.sent) * 1000).toBeLessThanOrEqual(0.5);
      expect(sum.theirsRefused / sum.theirs).toBeLessThanOrEqual(0.01);
      expect(sum.let / (6 * 10 * limit)).toBeGreaterThanOrEqual(0.9);
    },
  );

  it.each([60, 300, 600])('two independent importers at %i get no 429', (limit) => {
    for (const later of [0, 20_000, 100_000]) {
      const simulation = new Simulation(limit);
      const first = pacedClient(simulation, near(limit + 1));
      const second = pacedClient(simulation, { ...near(limit + 2), startAfter: later });
      simulation.run(10 * MINUTES);
      expect(first.refused + second.refused).toBe(0);
      expect((first.accepted + second.accepted) / (10 * limit)).toBeGreaterThanOrEqual(0.9);
      // The later one does not starve.
      expect(second.accepted / (10 * limit)).toBeGreaterThanOrEqual(0.01);
    }
  });

  it.each([300, Infinity])(
    'five importers at 600 that start together, each with %s requests, get no 429',
    (job) => {
      for (let seed = 0; seed < 4; seed++) {
        const simulation = new Simulation(600);
        const importers = Array.from({ length: 5 }, (_, i) =>
          pacedClient(simulation, { ...near(100 * seed + i + 1), job, startAfter: 20 * i }),
        );
        simulation.run(5 * MINUTES);
        expect(importers.reduce((sum, { refused }) => sum + refused, 0)).toBe(0);
        const accepted = importers.reduce((sum, one) => sum + one.accepted, 0);
        expect(accepted).toBeGreaterThanOrEqual(Math.min(5 * job, 0.9 * 5 * 600));
      }
    },
  );
});

describe('a service without rate-limit headers', () => {
  it('delays nothing before the first 429', () => {
    const simulation = new Simulation(Infinity);
    simulation.headers = 'none';
    const client = pacedClient(simulation, { ...near(1), concurrency: 4 });
    simulation.run(WINDOW);
    expect(client.accepted).toBeGreaterThan(3000);
  });

  it.each(['none', 'retry'] as const)('learns the limit from a 429 (headers: %s)', (headers) => {
    const simulation = new Simulation(600);
    simulation.headers = headers;
    const client = pacedClient(simulation, near(8));
    simulation.run(10 * MINUTES);
    expect(client.accepted / 6000).toBeGreaterThanOrEqual(0.9);
    expect((client.refused / client.sent) * 1000).toBeLessThanOrEqual(4);
  });
});

describe('a 429 that is not caused by the window, without rate-limit headers', () => {
  it.each([
    ['at the very beginning, without Retry-After', 'none' as const, (age: number) => age < 100],
    ['at the very beginning', 'retry' as const, (age: number) => age < 100],
    ['for three seconds, once', 'retry' as const, (age: number) => age > 1000 && age < 4000],
    ['for a second in each twenty', 'retry' as const, (age: number) => age % 20_000 < 1000],
  ])('%s: drops the guess once more than that is accepted', (_, headers, during) => {
    const simulation = new Simulation(Infinity);
    simulation.headers = headers;
    simulation.trouble = () => during(simulation.now - simulation.start);
    const client = pacedClient(simulation, near(1));
    simulation.run(2 * MINUTES);
    // Without any limit 20,000 would be possible; with the wrong guess, at most a few hundred.
    expect(client.accepted).toBeGreaterThan(1500);
    expect(client.refused).toBeLessThan(30);
  });
});

describe('a 429', () => {
  const at = 1_700_000_000_000;
  const counted = { status: 202, limit: 600, remaining: 599, resetIn: 60_000 };

  function started(): Pace {
    const pace = new Pace({ windowMs: WINDOW, share: 1, random: () => 0.5 });
    pace.answered(pace.sent(at), at + 10, counted);
    return pace;
  }

  it('pauses all requests once, obeys a long Retry-After, then sends one probe', () => {
    const pace = started();
    const requests = [pace.sent(at + 100), pace.sent(at + 200), pace.sent(at + 300)];
    pace.answered(requests[0]!, at + 400, { status: 429, retryAfter: 45_000 });
    const until = pace.ask(at + 401, Infinity);
    expect(until).toBe(at + 400 + 45_000 + 250);
    pace.answered(requests[1]!, at + 410, { status: 429, retryAfter: 45_000 });
    pace.answered(requests[2]!, at + 420, { status: 429, retryAfter: 1000 });
    expect(pace.ask(at + 500, Infinity)).toBe(until);
    expect(pace.ask(until, Infinity)).toBe(until);
    const probe = pace.sent(until);
    expect(pace.ask(until + 1, Infinity)).toBe(Infinity);
    pace.answered(probe, until + 20, counted);
    expect(pace.ask(until + 20, 1)).toBe(until + 20);
  });

  it('doubles the backoff without Retry-After, up to 30 s', () => {
    const pace = started();
    let now = at + 1000;
    const pauses: number[] = [];
    for (let turn = 0; turn < 8; turn++) {
      pace.answered(pace.sent(now), now + 1, { status: 429 });
      const until = pace.ask(now + 2, 1);
      pauses.push(until - (now + 1) - 250);
      now = until;
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });
});
