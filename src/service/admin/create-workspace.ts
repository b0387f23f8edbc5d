import { eventHeads } from '../events/store/event-heads.ts';
import { due } from '../platform/store/due.ts';
import type { Tx } from '../platform/store/store.ts';
import { type Workspace, workspaces } from '../platform/store/workspaces.ts';

/** Creates a workspace with the head of its event log, which the janitor cleans from now on. Returns false if one with this id exists. */
export async function createWorkspaceRows(tx: Tx, workspace: Workspace): Promise<boolean> {
  if (!(await workspaces.create(tx, workspace))) return false;
  await due.mark(tx, workspace.id, 'clean');
  await eventHeads.create(tx, workspace.id);
  return true;
}
