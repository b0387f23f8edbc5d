import { SvcError } from '../../cli/errors/svc-error.ts';
import { sanitizeLine } from '../../cli/terminal/sanitize.ts';
import type { AnswerOf, RequestOf } from '../../contract/endpoints.ts';
import { objectOf } from '../../kit/object-of.ts';
import { confirmDeletion, follow, type Needs, unknownRun } from './follow.ts';

/** Which events are deleted (see the endpoint deleteEvents). */
export type Selection = Omit<RequestOf<'deleteEvents'>, 'dryRun'>;
type Deletion = AnswerOf<'deleteEvents'>;

const STAYS = 'Decisions that were made and webhooks that were sent stay.';

/**
 * Counts the selected events, shows some of them, asks, and follows their deletion until all are gone. Prints the result.
 * Resolves to false where nothing was deleted, because of --dry-run. `before` is called once it is sure, before the request.
 * `isNoted`: this machine knows the run, which may have sent nothing. Throws not_found for a run that nobody knows.
 */
export async function deleteEvents(
  needs: Needs,
  selection: Selection,
  { before = () => {}, isNoted = false }: { readonly before?: () => void; readonly isNoted?: boolean } = {},
): Promise<boolean> {
  const { out, flags } = needs;
  const counted = await carryOut(needs, { ...selection, dryRun: true });
  if (counted.runKnown === false && !isNoted) throw unknownRun(selection.run!);
  if (flags['dry-run']) {
    out.result(printed(counted), () => `${sampleText(counted)}nothing was deleted (--dry-run)`);
    return false;
  }
  await confirmDeletion(needs, {
    empty: counted.events === 0,
    counted: sampleText(counted),
    what: eventsText(counted.events),
  });
  before();
  const done = await carryOut(needs, selection);
  out.result(printed({ ...done, sample: counted.sample }), () =>
    done.events === 0 ? 'no events to delete' : `deleted ${eventsText(done.events)}. ${STAYS}`,
  );
  return true;
}

/** What is printed of a deletion. */
const printed = ({ deletionId, dryRun, status, events, sample }: Deletion) => ({
  ...{ deletionId, dryRun, status, events },
  sample,
});

/** Requests a deletion, and waits until its events are deleted, or counted. */
function carryOut(needs: Needs, body: RequestOf<'deleteEvents'>): Promise<Deletion> {
  const { client, signal } = needs;
  return follow(needs, {
    dryRun: body.dryRun === true,
    start: async () => deletionOf((await client.call('deleteEvents', { body, signal })).body),
    read: async (id) => deletionOf((await client.call('getEventDeletion', { params: { id }, signal })).body),
    isGoingOn: ({ status }) => status === 'counting' || status === 'deleting',
    text: ({ status, progress, events }) =>
      `${status}: ${Math.floor(100 * progress)} %, ${eventsText(events)}`,
    what: 'events',
  });
}

/** Reads a deletion of any shape. Throws an `unavailable` error for what is none. */
function deletionOf(body: unknown): Deletion {
  const { events, status, sample } = objectOf(body);
  if (typeof events !== 'number' || typeof status !== 'string')
    throw new SvcError('unavailable', 'the service answered without the state of the deletion', {
      hint: 'check the address of the service',
    });
  return { ...(body as Deletion), sample: Array.isArray(sample) ? sample.map(objectOf) : [] } as Deletion;
}

const eventsText = (count: number) => `${count.toLocaleString('en-US')} ${count === 1 ? 'event' : 'events'}`;

/** The count and the sample, each event in one line. */
function sampleText({ events, sample }: Deletion): string {
  const lines = sample.map(({ timestamp, userId, event, properties }) =>
    sanitizeLine(`  ${timestamp} ${userId} ${event}${properties ? ` ${JSON.stringify(properties)}` : ''}`),
  );
  const more = events > sample.length ? [`  and ${events - sample.length} more`] : [];
  return `${[eventsText(events), ...lines, ...more].join('\n')}\n`;
}
