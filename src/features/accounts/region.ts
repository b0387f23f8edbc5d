import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';

/** As in a header: what needs no quoting anywhere. */
const REGION = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const workspaceRegionFlag = Flags.string({
  summary: 'region of the workspace; a service of another region answers it slower, as global',
  helpValue: 'R',
});

/** Returns the region that a workspace gets; undefined if none is given. Throws usage, also for `--region`. */
export function workspaceRegion(flags: {
  readonly 'workspace-region'?: string | undefined;
  readonly region?: string | undefined;
}): string | undefined {
  const { region: selecting, 'workspace-region': region } = flags;
  if (selecting !== undefined)
    throw new SvcError(
      'usage',
      '--region selects a service; the region of a workspace is --workspace-region',
      {
        hint: (invocation) => invocation.replacing('--region', '--workspace-region', region ?? selecting),
      },
    );
  if (region !== undefined && !REGION.test(region))
    throw new SvcError('usage', `${region} cannot be the name of a region`, {
      hint: (invocation) =>
        `use letters, digits, ".", "_" and "-", at most 64: ${invocation.rerunWith('--workspace-region', 'eu')}`,
    });
  return region;
}
