import type { Context } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { isUnsupported } from '../../cli/errors/unsupported-operation.ts';
import { confirm } from '../../cli/input/prompt.ts';
import { Redraw } from '../../cli/terminal/redraw.ts';
import { sanitize } from '../../cli/terminal/sanitize.ts';
import type { Client } from '../../client/client.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

export type Needs = Pick<Context, 'out' | 'world' | 'signal'> & {
  readonly client: Client;
  readonly flags: {
    readonly yes?: boolean | undefined;
    readonly 'dry-run'?: boolean | undefined;
    readonly 'no-input': boolean;
  };
};

interface Followed<T> {
  readonly dryRun: boolean;
  readonly start: () => Promise<T>;
  readonly read: (deletionId: string) => Promise<T>;
  readonly isGoingOn: (deletion: T) => boolean;
  /** How far it is, in one line. */
  readonly text: (deletion: T) => string;
  readonly what: string;
}

/**
 * Shows what was counted, and asks whether to delete it, unless it is nothing or --yes was given. Throws a `usage` error where
 * the answer is no. `counted` is the text of the count and its sample, `what` as in `Delete 3 events for good?`.
 */
export async function confirmDeletion(
  { world, out, flags }: Needs,
  { empty, counted, what }: { empty: boolean; counted: string; what: string },
): Promise<void> {
  if (empty || flags.yes) return;
  out.info(counted.trimEnd());
  const sure = await confirm(world, `Delete ${what} for good?`, {
    noInput: flags['no-input'],
    instead: (invocation) => invocation.rerunWith('--yes'),
  });
  if (!sure)
    throw new SvcError('usage', 'nothing was deleted', {
      hint: (invocation) => invocation.rerunWith('--yes'),
    });
}

/** Requests a deletion, and waits until what it selects is deleted, or counted. Throws an SvcError. */
export async function follow<
  T extends { readonly deletionId: string; readonly runKnown?: boolean | undefined },
>({ world, signal, out }: Needs, { dryRun, start, read, isGoingOn, text, what }: Followed<T>): Promise<T> {
  const shown = out.quiet || out.json || !world.stderr.isTTY ? undefined : new Redraw(world.stderr);
  try {
    let deletion = await start();
    const { deletionId, runKnown } = deletion;
    for (let pause = FIRST_PAUSE_MS; isGoingOn(deletion); pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
      await world.clock.sleep(pause, signal);
      deletion = await read(deletionId);
      shown?.draw(sanitize(text(deletion)));
    }
    // Only the answer to the request says so.
    return { ...deletion, runKnown };
  } catch (error) {
    if (signal.aborted && !dryRun)
      throw new SvcError('interrupted', 'interrupted; the service goes on deleting', {
        hint: (invocation) => `to see how far it is: ${invocation.rerunWith()}`,
        cause: error,
      });
    if (!isUnsupported(error)) throw error;
    throw new SvcError('not_offered', `the service does not offer to delete ${what}`, {
      hint: 'it goes beyond the specification; `svc serve` offers it',
      requestId: error.requestId,
      cause: error,
    });
  } finally {
    shown?.clear();
  }
}

/** The error for a run of which the service has nothing, and never deleted anything. */
export function unknownRun(run: string): SvcError {
  return new SvcError('not_found', `there is no run ${run}: the service knows nothing that it sent`, {
    hint: (invocation) => `list the runs of this machine: ${invocation.onSameService('imports', 'list')}`,
  });
}
