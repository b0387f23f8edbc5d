import type { Workspace } from '../store/repositories/workspaces.ts';

/** What a detour over the global endpoint costs, in milliseconds. */
const DETOUR_MS = 150;

/**
 * How a regional service answers a workspace (specification: "A call to a mismatched region falls back to the global
 * endpoint and is slower"): with its region's name at once, or as the global endpoint after a detour.
 */
export function regionOf(
  workspace: Workspace,
  region: string | undefined,
): { header: string | undefined; detourMs: number } {
  if (region === undefined) return { header: undefined, detourMs: 0 };
  if (workspace.region === region) return { header: region, detourMs: 0 };
  return { header: 'global', detourMs: DETOUR_MS };
}
