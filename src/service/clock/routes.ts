import { ServiceError } from '../../contract/errors.ts';
import type { Clock } from '../../contract/schemas.ts';
import type { Call, Endpoints } from '../http/endpoint.ts';
import { cutoffsOf, type Retention } from '../platform/store/retained-logs.ts';
import { testClock } from '../platform/store/test-clock.ts';
import { dueUntil } from './store.ts';

/** How far a clock may be moved at once, in ms: ten years. */
const LONGEST_MS = 3660 * 86_400_000;

/** The endpoints of the test clock, for test workspaces of a store that has one. */
export const clockEndpoints = (retention: () => Retention): Endpoints => ({
  getClock: async (call) => {
    const body = await clockOf(call);
    if (call.query.until === undefined) return { body };
    const until = Date.parse(call.query.until);
    return { body: { ...body, due: await dueUntil(call.tx, until, cutoffsOf(until, retention())) } };
  },
  setClock: async (call) => {
    const { tx, body, now } = call;
    await clockOf(call);
    const to = Date.parse(body.now);
    if (to <= now || to > now + LONGEST_MS)
      throw new ServiceError('invalid_request', undefined, [
        {
          field: 'now',
          message: `must be later than ${new Date(now).toISOString()}, by at most 3,660 days: a test clock never goes back`,
        },
      ]);
    const { target } = (await testClock.get(tx))!;
    await testClock.setTarget(tx, Math.max(to, target ?? 0));
    return { body: await clockOf(call) };
  },
});

/** The clock as it is shown. Throws forbidden for a live workspace, and not_found where there is no test clock. */
async function clockOf({ tx, workspace, now }: Pick<Call, 'tx' | 'workspace' | 'now'>): Promise<Clock> {
  if (workspace.mode === 'live')
    throw new ServiceError('forbidden', 'Only a test workspace has a clock that can be moved.');
  const found = await testClock.get(tx);
  if (!found)
    throw new ServiceError(
      'not_found',
      'This service has no test clock: start it with svc serve --test-clock.',
    );
  return {
    now: new Date(now).toISOString(),
    offsetMs: found.offsetMs,
    movingTo: found.target === null ? null : new Date(found.target).toISOString(),
  };
}
