import { ServiceError } from '../../contract/errors.ts';
import { eventRuns } from '../events/store/event-runs.ts';
import { events } from '../events/store/events.ts';
import type { Endpoints } from '../http/endpoint.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import type { Tx } from '../platform/store/store.ts';
import { userRuns } from '../users/store/user-runs.ts';
import { type Deletion, deletions, type EventSelection, termsOf } from './deletions.ts';
import { type UserDeletion, userDeletions } from './user-deletions.ts';

/** Users of a sample, and how many are searched for them. */
const SAMPLE = 5;
const SEARCHED_FOR_SAMPLE = 50;

const STATUS = { scan: 'deleting', wait: 'settling', recount: 'settling', done: 'done' } as const;

/** The endpoints of deletions of events. */
export const deletionEndpoints = (cipher: Cipher): Endpoints => ({
  deleteEvents: async ({ tx, workspace, body, requestId }) => {
    const { dryRun = false, ...selection } = body;
    checkSelection(selection);
    if (!cipher.usable) throw new ServiceError('unavailable');
    const { run } = selection;
    const known = run === undefined ? {} : { runKnown: await eventRuns.isKnown(tx, workspace.id, run) };
    const deletion = await deletions.start(tx, cipher, workspace.id, selection, dryRun);
    return { body: { ...(await viewOf(tx, workspace.id, deletion)), ...known, requestId } };
  },
  getEventDeletion: async ({ tx, workspace, params, requestId }) => {
    const deletion = await deletions.get(tx, cipher, workspace.id, params.id!);
    if (!deletion) throw new ServiceError('not_found', 'No deletion has this identifier.');
    return { body: { ...(await viewOf(tx, workspace.id, deletion)), requestId } };
  },
  deleteUsers: async ({ tx, workspace, body, requestId }) => {
    const runKnown = await userRuns.isKnown(tx, workspace.id, body.run);
    const deletion = await userDeletions.start(tx, workspace.id, body.run, body.dryRun ?? false);
    return { body: { ...(await usersView(tx, workspace.id, deletion)), runKnown, requestId } };
  },
  getUserDeletion: async ({ tx, workspace, params, requestId }) => {
    const deletion = await userDeletions.get(tx, workspace.id, params.id!);
    if (!deletion) throw new ServiceError('not_found', 'No deletion has this identifier.');
    return { body: { ...(await usersView(tx, workspace.id, deletion)), requestId } };
  },
});

async function usersView(tx: Tx, workspaceId: string, deletion: UserDeletion) {
  const { deletionId, run, dryRun, found, kept, requestedAt, endedAt } = deletion;
  const first = { after: '', limit: SEARCHED_FOR_SAMPLE, locked: false };
  const page = dryRun ? await userRuns.page(tx, workspaceId, run, first) : [];
  const unused = page.filter(({ isUsed }) => !isUsed).slice(0, SAMPLE);
  return {
    ...{ deletionId, dryRun, users: found, kept },
    status: endedAt !== null ? ('done' as const) : dryRun ? ('counting' as const) : ('deleting' as const),
    sample: unused.map(({ userId, hashId }) => ({ userId, hashId })),
    requestedAt: new Date(requestedAt).toISOString(),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
  };
}

/** Refuses what would select every event, and a filter that is none. Throws invalid_request. */
function checkSelection(selection: EventSelection): void {
  const { since, until } = selection;
  if (Object.values(selection).every((value) => value === undefined || value === ''))
    throw invalid('filter', 'or another field must say which events');
  if (since !== undefined && until !== undefined && Date.parse(since) >= Date.parse(until))
    throw invalid('until', 'must be after `since`');
  if (termsOf(selection).length === 0 && selection.filter !== undefined)
    throw invalid('filter', 'must have a term');
}

const invalid = (field: string, message: string) =>
  new ServiceError('invalid_request', undefined, [{ field, message }]);

async function viewOf(tx: Tx, workspaceId: string, deletion: Deletion) {
  const { deletionId, dryRun, phase, begin, after, upTo, found, sample, requestedAt, endedAt } = deletion;
  const scanned = upTo > begin ? (after - begin) / (upTo - begin) : 1;
  return {
    deletionId,
    dryRun,
    status: dryRun && phase === 'scan' ? 'counting' : STATUS[phase],
    events: found,
    progress: phase === 'scan' ? scanned : 1,
    sample: await sampleOf(tx, workspaceId, sample),
    requestedAt: new Date(requestedAt).toISOString(),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
  };
}

/** The events of a sample that are still stored. Properties that exceed a page are left out. */
async function sampleOf(tx: Tx, workspaceId: string, numbers: readonly number[]): Promise<object[]> {
  const found = [];
  for (const number of numbers) {
    const range = { after: number - 1, upTo: number };
    const [row] = (await events.matching(tx, workspaceId, range, {}, 1)).rows;
    if (row)
      found.push({
        ...{ userId: row.userId, event: row.event, timestamp: row.timestamp },
        ...(row.properties === null ? {} : { properties: JSON.parse(row.properties) }),
      });
  }
  return found;
}
