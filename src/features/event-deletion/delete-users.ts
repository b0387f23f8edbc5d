import { SvcError } from '../../cli/errors/svc-error.ts';
import { sanitizeLine } from '../../cli/terminal/sanitize.ts';
import type { AnswerOf, RequestOf } from '../../contract/endpoints.ts';
import { objectOf } from '../../kit/object-of.ts';
import { confirmDeletion, follow, type Needs } from './follow.ts';

type Deletion = AnswerOf<'deleteUsers'>;

const STAYS = 'What the run changed in users that existed before stays.';

/**
 * Counts the users that a run created and nobody used since, and those that stay. Undefined for a run that neither this
 * machine nor the service knows as one of users: it may have sent events. Throws an SvcError.
 */
export async function countedUsers(
  needs: Needs,
  run: string,
  kind: 'users' | null | undefined,
): Promise<Deletion | undefined> {
  try {
    const counted = await carryOut(needs, { run, dryRun: true });
    const isOfUsers = kind === 'users' || counted.users + counted.kept > 0 || counted.runKnown === true;
    return isOfUsers ? counted : undefined;
  } catch (error) {
    // A service that keeps the runs of events alone.
    if (kind !== 'users' && error instanceof SvcError && error.code === 'not_offered') return undefined;
    throw error;
  }
}

/**
 * Shows some of the counted users, asks, and follows their deletion until all are gone. Prints the result. Resolves to false
 * where nothing was deleted, because of --dry-run. `before` is called once it is sure, before the request.
 */
export async function deleteUsers(
  needs: Needs,
  run: string,
  counted: Deletion,
  before: () => void,
): Promise<boolean> {
  const { out, flags } = needs;
  if (flags['dry-run']) {
    out.result(printed(counted), () => `${sampleText(counted)}nothing was deleted (--dry-run)`);
    return false;
  }
  await confirmDeletion(needs, {
    empty: counted.users === 0,
    counted: sampleText(counted),
    what: usersText(counted.users),
  });
  before();
  const done = await carryOut(needs, { run });
  out.result(printed({ ...done, sample: counted.sample }), () =>
    [
      done.users === 0 ? 'no users to delete.' : `deleted ${usersText(done.users)}.`,
      ...(done.kept > 0 ? [`${keptText(done.kept)}.`] : []),
      STAYS,
    ].join(' '),
  );
  return true;
}

/** What is printed of a deletion. */
const printed = ({ deletionId, dryRun, status, users, kept, sample }: Deletion) => ({
  ...{ deletionId, dryRun, status, users, kept },
  sample,
});

function carryOut(needs: Needs, body: RequestOf<'deleteUsers'>): Promise<Deletion> {
  const { client, signal } = needs;
  return follow(needs, {
    dryRun: body.dryRun === true,
    start: async () => deletionOf((await client.call('deleteUsers', { body, signal })).body),
    read: async (id) => deletionOf((await client.call('getUserDeletion', { params: { id }, signal })).body),
    isGoingOn: ({ status }) => status === 'counting' || status === 'deleting',
    text: ({ status, users, kept }) => `${status}: ${usersText(users)}, ${kept} stay`,
    what: 'users of a run',
  });
}

/** Reads a deletion of any shape. Throws an `unavailable` error for what is none. */
function deletionOf(body: unknown): Deletion {
  const { users, kept, status, sample } = objectOf(body);
  if (typeof users !== 'number' || typeof kept !== 'number' || typeof status !== 'string')
    throw new SvcError('unavailable', 'the service answered without the state of the deletion', {
      hint: 'check the address of the service',
    });
  return { ...(body as Deletion), sample: Array.isArray(sample) ? sample.map(objectOf) : [] } as Deletion;
}

const usersText = (count: number) => `${count.toLocaleString('en-US')} ${count === 1 ? 'user' : 'users'}`;
const keptText = (count: number) =>
  `${usersText(count)} that the run created ${count === 1 ? 'was' : 'were'} used since and ${count === 1 ? 'stays' : 'stay'}`;

/** The counts and the sample, each user in one line. */
function sampleText({ users, kept, sample }: Deletion): string {
  const lines = sample.map(({ userId, hashId }) => sanitizeLine(`  ${userId} ${hashId}`));
  const more = users > sample.length ? [`  and ${users - sample.length} more`] : [];
  const stay = kept > 0 ? [keptText(kept)] : [];
  return `${[usersText(users), ...lines, ...more, ...stay].join('\n')}\n`;
}
