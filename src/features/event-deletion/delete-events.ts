import type { Context } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { isUnsupported } from '../../cli/errors/unsupported-operation.ts';
import { confirm } from '../../cli/input/prompt.ts';
import { Redraw } from '../../cli/terminal/redraw.ts';
import { sanitize, sanitizeLine } from '../../cli/terminal/sanitize.ts';
import type { Client } from '../../client/client.ts';
import type { AnswerOf, RequestOf } from '../../contract/endpoints.ts';
import { objectOf } from '../../kit/object-of.ts';

/** Which events are deleted (see the endpoint deleteEvents). */
export type Selection = Omit<RequestOf<'deleteEvents'>, 'dryRun'>;
type Deletion = AnswerOf<'deleteEvents'>;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

const STAYS = 'Decisions that were made and webhooks that were sent stay.';

type Needs = Pick<Context, 'out' | 'world' | 'signal'> & {
  readonly client: Client;
  readonly flags: {
    readonly yes?: boolean | undefined;
    readonly 'dry-run'?: boolean | undefined;
    readonly 'no-input': boolean;
  };
};

/**
 * Counts the selected events, shows some of them, asks, and follows their deletion until all are gone. Prints the result.
 * Resolves to false where nothing was deleted, because of --dry-run. `before` is called once it is sure, before the request.
 */
export async function deleteEvents(
  needs: Needs,
  selection: Selection,
  before: () => void = () => {},
): Promise<boolean> {
  const { out, world, flags } = needs;
  const counted = await carryOut(needs, { ...selection, dryRun: true });
  if (flags['dry-run']) {
    out.result(printed(counted), () => `${sampleText(counted)}nothing was deleted (--dry-run)`);
    return false;
  }
  if (counted.events > 0 && !flags.yes) {
    out.info(sampleText(counted).trimEnd());
    const sure = await confirm(world, `Delete ${eventsText(counted.events)} for good?`, {
      noInput: flags['no-input'],
      instead: (invocation) => invocation.rerunWith('--yes'),
    });
    if (!sure)
      throw new SvcError('usage', 'nothing was deleted', {
        hint: (invocation) => invocation.rerunWith('--yes'),
      });
  }
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
async function carryOut(
  { client, world, signal, out }: Needs,
  body: RequestOf<'deleteEvents'>,
): Promise<Deletion> {
  const call = async (answer: Promise<{ readonly body: unknown }>) => deletionOf((await answer).body);
  try {
    let deletion = await call(client.call('deleteEvents', { body, signal }));
    const { deletionId } = deletion;
    const shown = out.quiet || out.json || !world.stderr.isTTY ? undefined : new Redraw(world.stderr);
    for (let pause = FIRST_PAUSE_MS; isGoingOn(deletion); pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
      await world.clock.sleep(pause, signal);
      deletion = await call(client.call('getEventDeletion', { params: { id: deletionId }, signal }));
      shown?.draw(
        sanitize(
          `${deletion.status}: ${Math.floor(100 * deletion.progress)} %, ${eventsText(deletion.events)}`,
        ),
      );
    }
    return deletion;
  } catch (error) {
    if (signal.aborted && !body.dryRun)
      throw new SvcError('interrupted', 'interrupted; the service goes on deleting', {
        hint: (invocation) => `to see how far it is: ${invocation.rerunWith()}`,
        cause: error,
      });
    if (!isUnsupported(error)) throw error;
    throw new SvcError('not_offered', 'the service does not offer to delete events', {
      hint: 'it goes beyond the specification; `svc serve` offers it',
      requestId: error.requestId,
      cause: error,
    });
  }
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
const isGoingOn = ({ status }: Deletion) => status === 'counting' || status === 'deleting';

/** The count and the sample, each event in one line. */
function sampleText({ events, sample }: Deletion): string {
  const lines = sample.map(({ timestamp, userId, event, properties }) =>
    sanitizeLine(`  ${timestamp} ${userId} ${event}${properties ? ` ${JSON.stringify(properties)}` : ''}`),
  );
  const more = events > sample.length ? [`  and ${events - sample.length} more`] : [];
  return `${[eventsText(events), ...lines, ...more].join('\n')}\n`;
}
