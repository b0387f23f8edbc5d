import type { Log } from '../platform/log.ts';
import type { Store } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';

/** Warns of workspaces whose notifications do not go where an operator may expect. */
export async function reportModes(store: Store, configured: readonly string[], log: Log): Promise<void> {
  for (const { id, mode } of await store.read((tx) => workspaces.list(tx))) {
    if (mode === 'test' && configured.length > 0)
      log('warn', 'a test workspace sends notifications to the outbox only', {
        workspace: id,
        configured,
        next: 'svc workspaces create --mode live',
      });
  }
}
