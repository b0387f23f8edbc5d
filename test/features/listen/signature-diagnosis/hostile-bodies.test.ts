import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { signBody } from '../../../../src/contract/signature.ts';
import { Receiver, type Rejected, type Report } from '../../../../src/features/listen/receiver.ts';
import { diagnoseInSteps } from '../../../../src/features/listen/signature-diagnosis/diagnose.ts';
import {
  diagnosisSeconds,
  HOSTILE_BODIES,
  unsignedEvidence,
} from '../../../support/listen/hostile-bodies.ts';

const SECRET = 'a-secret-of-the-receiver-tests';
const MIB = 1024 * 1024;

const wrong = { 'x-service-signature': '0'.repeat(64) };

describe.each(Object.entries(HOSTILE_BODIES))('a body of %s', (_, make) => {
  // The short form of hostile-bodies.chaos.ts, which has bodies of 1 MiB.
  it('is abandoned after bounded work', () => {
    expect(diagnosisSeconds(make(MIB / 4))).toBeLessThan(5);
  });

  it('is diagnosed in many steps', () => {
    let count = 0;
    for (const steps = diagnoseInSteps(unsignedEvidence(make(32 * 1024 - 16))); !steps.next().done; ) count++;
    expect(count).toBeGreaterThan(150);
  });
});

/** The longest turn of the event loop in CPU time, in ms: its duration depends on what else the machine does. */
function longestTurn(): { stop(): number } {
  let longest = 0;
  let began = process.cpuUsage();
  const look = () => {
    longest = Math.max(longest, process.cpuUsage(began).user / 1000);
    began = process.cpuUsage();
    next = setTimeout(look, 5);
  };
  let next = setTimeout(look, 5);
  return {
    stop: () => {
      clearTimeout(next);
      return longest;
    },
  };
}

describe('a listener with hostile senders', () => {
  async function listener() {
    const reports: Report[] = [];
    const receiver = new Receiver({
      secrets: () => [{ name: 'given', secret: SECRET }],
      others: [],
      now: Date.now,
      onReport: (report) => reports.push(report),
    });
    const url = await receiver.listen(0, '127.0.0.1');
    const stop = () => receiver.stop();
    onTestFinished(stop);
    const post = async (body: string, headers: Record<string, string>) =>
      (await fetch(url, { method: 'POST', body, headers })).status;
    return { reports, post, stop };
  }
  const signed = { 'x-service-signature': signBody(Buffer.from('{}'), SECRET) };

  it('reports signed deliveries before it has diagnosed the others', async () => {
    const { reports, post } = await listener();
    const bad = HOSTILE_BODIES['escaped quotes']!(32 * 1024 - 16);
    for (let n = 0; n < 3; n++) expect(await post(bad, wrong)).toBe(401);
    expect(await post('{}', signed)).toBe(200);
    expect(reports.map(({ type }) => type)).toEqual(['event']);
    await vi.waitFor(() => expect(reports).toHaveLength(4), { timeout: 100_000 });
  });

  it('does not block the event loop, and limits the queue of diagnoses', async () => {
    const { reports, post } = await listener();
    const turns = longestTurn();
    const bodies = Object.values(HOSTILE_BODIES).flatMap((make) => [make(MIB), make(32 * 1024 - 16)]);
    const statuses = await Promise.all([...bodies, ...bodies].map((body) => post(body, wrong)));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(await post('{}', signed)).toBe(200);
    await vi.waitFor(() => expect(reports).toHaveLength(2 * bodies.length + 1), { timeout: 100_000 });
    expect(turns.stop()).toBeLessThan(1000);
    const summaries = reports.flatMap((report) => (report as Rejected).diagnosis?.summary ?? []);
    expect(summaries.filter((summary) => summary.includes('too many deliveries')).length).toBeGreaterThan(0);
  });

  it('reports queued deliveries when it stops', async () => {
    const { reports, post, stop } = await listener();
    for (let n = 0; n < 12; n++) expect(await post(HOSTILE_BODIES.members!(32 * 1024 - 16), wrong)).toBe(401);
    await stop();
    expect(reports).toHaveLength(12);
  });
});
