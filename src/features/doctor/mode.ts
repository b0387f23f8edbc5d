import { HEADERS } from '../../contract/headers.ts';
import { type Check, ok, skipped } from './check.ts';
import type { Place } from './place.ts';

/** Says whether notifications of the workspace reach people. Both modes are right for somebody, so neither is a warning. */
export function checkMode(headers: Readonly<Record<string, string>>, { workspace, toLive }: Place): Check {
  switch (headers[HEADERS.mode]) {
    case 'test':
      return {
        ...ok(
          'mode',
          `${workspace} is a test workspace: its notifications are written to the outbox, no provider is called`,
        ),
        next: toLive,
      };
    case 'live':
      // Whether its channels have providers, no answer says.
      return ok('mode', `${workspace} is a live workspace`);
    default:
      return skipped('mode', 'the service does not say whether this is a test workspace');
  }
}
