import { describe, expect, it } from 'vitest';
import { Pacer, type PacerOptions, type Slot } from '../../../src/client/pacer/pacer.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

function paced(options: Partial<PacerOptions> = {}) {
  const clock = new VirtualClock();
  const pacer = new Pacer({ clock, random: () => 0, ...options });
  const slots: { name: string; slot: Slot }[] = [];
  const ask = (name: string, signal?: AbortSignal) =>
    pacer.acquire(signal).then((slot) => void slots.push({ name, slot }));
  const answer = (limit: number, remaining: number) => ({
    status: 202,
    limit,
    remaining,
    resetIn: 60_000,
  });
  return { clock, pacer, slots, ask, answer, names: () => slots.map(({ name }) => name) };
}

describe('the pacer', () => {
  it('sends the first request alone, then the rest in order', async () => {
    const { clock, slots, ask, answer, names } = paced();
    for (const name of ['a', 'b', 'c']) ask(name);
    await clock.advance(5000);
    expect(names()).toEqual(['a']);
    slots[0]!.slot.answered(answer(600, 599));
    await clock.advance(0);
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('treats a job of unknown length as long once it has used a third of the limit', async () => {
    const { clock, slots, ask, answer } = paced();
    for (let index = 0; index < 500; index++) ask(String(index));
    await clock.advance(0);
    expect(slots.length).toBe(1);
    const short = paced();
    short.ask('first');
    await short.clock.advance(0);
    short.slots[0]!.slot.answered(short.answer(600, 599));
    for (let index = 0; index < 400; index++) {
      short.ask(String(index));
      await short.clock.advance(0);
    }
    expect(short.slots.length).toBeGreaterThanOrEqual(190);
    expect(short.slots.length).toBeLessThanOrEqual(210);
    slots[0]!.slot.answered(answer(600, 599));
    await clock.advance(1000);
    expect(slots.length).toBeLessThanOrEqual(20);
  });

  it('spreads a long job evenly and leaves no timer behind', async () => {
    const { clock, pacer, slots, ask, answer } = paced();
    pacer.expect(Infinity);
    for (let index = 0; index < 50; index++) ask(String(index));
    await clock.advance(0);
    slots[0]!.slot.answered(answer(60, 59));
    await clock.advance(10_500);
    expect(slots.length).toBeGreaterThanOrEqual(10);
    expect(slots.length).toBeLessThanOrEqual(13);
    await clock.advance(60_000);
    expect(slots.length).toBe(50);
    expect(clock.asleep).toBe(0);
  });

  it('stops waiting when the signal fires, and the next request moves up', async () => {
    const { clock, slots, ask, answer, names } = paced();
    const giveUp = new AbortController();
    ask('a');
    const waiting = ask('b', giveUp.signal);
    ask('c');
    giveUp.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(ask('d', giveUp.signal)).rejects.toThrow('enough');
    await clock.advance(0);
    slots[0]!.slot.answered(answer(600, 599));
    await clock.advance(0);
    expect(names()).toEqual(['a', 'c']);
    expect(clock.asleep).toBe(0);
  });

  it('pauses all requests once on a 429, for days if necessary, then sends one probe', async () => {
    const pauses: number[] = [];
    const { clock, slots, ask, answer, names } = paced({ onPause: (ms) => void pauses.push(ms) });
    const wait = 40 * 24 * 3600_000;
    for (const name of ['a', 'b', 'c', 'd', 'e']) ask(name);
    await clock.advance(0);
    slots[0]!.slot.answered(answer(600, 599));
    await clock.advance(0);
    slots[1]!.slot.answered({ status: 429, retryAfter: wait });
    slots[2]!.slot.answered({ status: 429, retryAfter: wait });
    slots[3]!.slot.failed();
    slots[4]!.slot.failed({ counted: false });
    ask('f');
    ask('g');
    expect(pauses).toEqual([wait]);
    await clock.advance(wait - 1);
    expect(names()).toHaveLength(5);
    await clock.advance(1);
    expect(names()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    slots[5]!.slot.answered(answer(600, 500));
    await clock.advance(0);
    expect(names()).toHaveLength(7);
  });

  it('measures the time in which only the limit kept requests waiting', async () => {
    const { clock, pacer, slots, ask, answer } = paced();
    pacer.expect(Infinity);
    let left = 0;
    for (let index = 0; index < 4; index++)
      ask(String(index)).then(() => {
        left = clock.now();
      });
    await clock.advance(5000);
    // The others wait for the response to the first request.
    expect(pacer.throttledMs).toBe(0);
    const answered = clock.now();
    slots[0]!.slot.answered(answer(60, 59));
    await clock.advance(400);
    expect(pacer.throttledMs).toBe(400);
    await clock.advance(60_000);
    expect(slots.length).toBe(4);
    expect(left).toBeGreaterThan(answered);
    expect(pacer.throttledMs).toBe(left - answered);
  });

  it('stops measuring when the last waiting request is aborted, and includes the pause after a 429', async () => {
    const { clock, pacer, slots, ask, answer } = paced();
    ask('a');
    await clock.advance(0);
    slots[0]!.slot.answered({ ...answer(60, 0), status: 429, retryAfter: 20_000 });
    const over = new AbortController();
    ask('b', over.signal).catch(() => undefined);
    await clock.advance(5000);
    expect(pacer.throttledMs).toBe(5000);
    over.abort();
    await clock.advance(60_000);
    expect(pacer.throttledMs).toBe(5000);
  });
});
