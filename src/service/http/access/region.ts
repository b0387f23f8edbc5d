import type { Workspace } from '../../platform/store/workspaces.ts';

/** Delay of a detour over the global endpoint, in ms. */
const DETOUR_MS = 150;

/**
 * Decides which region header and delay a workspace gets (specification: "A call to a mismatched region falls back to
 * the global endpoint and is slower").
 */
export function regionOf(
  workspace: Workspace,
  region: string | undefined,
): { header: string | undefined; detourMs: number } {
  if (region === undefined) return { header: undefined, detourMs: 0 };
  if (workspace.region === region) return { header: region, detourMs: 0 };
  return { header: 'global', detourMs: DETOUR_MS };
}
