import { eventHeads } from '../events/store/event-heads.ts';
import type { Tx } from '../platform/store/store.ts';
import { type Workspace, workspaces } from '../platform/store/workspaces.ts';

/** Creates a workspace with the head of its event log. Returns false if one with this id exists. */
export async function createWorkspaceRows(tx: Tx, workspace: Workspace): Promise<boolean> {
  if (!(await workspaces.create(tx, workspace))) return false;
  await eventHeads.create(tx, workspace.id);
  return true;
}
