import { SvcError } from '../../cli/errors/svc-error.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import type { World } from '../../cli/terminal/world.ts';
import { GROUPS, type Group } from '../../contract/limits.ts';
import { DEFAULT_POLICY, type Policy, type PolicyChange } from '../../service/runtime/policy.ts';
import type { ServiceOptions } from '../../service/start.ts';

/** The flags of every command that runs the service. */
export const serviceFlags = {
  limit: Flags.string({
    summary: 'requests a window for a group, or off',
    multiple: true,
    helpValue: 'GROUP=N|off',
  }),
  catalog: Flags.string({
    summary: 'JSON file of contents and templates; taken up anew when it changes',
    helpValue: 'FILE',
  }),
  faults: Flags.string({
    summary: 'JSON file of faults to inject (docs/fault-injection.md)',
    helpValue: 'FILE',
  }),
  window: Flags.string({ summary: 'length of the sliding window', helpValue: '60s' }),
  'allow-loopback-webhooks': Flags.boolean({
    summary: 'admit webhook URLs on http and loopback addresses',
    allowNo: true,
  }),
};

/** What these flags and the environment tell the service. Throws usage. */
export function serviceOptions(
  flags: {
    limit?: string[] | undefined;
    catalog?: string | undefined;
    faults?: string | undefined;
    window?: string | undefined;
    region?: string | undefined;
    'allow-loopback-webhooks'?: boolean | undefined;
  },
  { env, clock }: Pick<World, 'env' | 'clock'>,
): Omit<ServiceOptions, 'database'> {
  return {
    region: flags.region,
    limits: parseLimits(flags.limit ?? []),
    windowMs: parseWindow(flags.window),
    allowLoopbackWebhooks: flags['allow-loopback-webhooks'],
    catalog: flags.catalog,
    faults: flags.faults,
    clock,
    seed: env.SVC_SEED || undefined,
    dataKey: env.SVC_DATA_KEY || undefined,
    environment: env,
  };
}

/**
 * What an earlier start told the service, which is kept with the data and differs from the defaults, beyond what this
 * start was `given`: as flags, and as the flags that set it back. Empty where all is as ever.
 */
export function storedFlags(policy: Policy, given: PolicyChange): { kept: string[]; back: string[] } {
  const flags = (of: Policy) => [
    ...GROUPS.filter((group) => given.limits?.[group] === undefined).map(
      (group) => `--limit ${group}=${of.limits[group] ?? 'off'}`,
    ),
    ...(given.windowMs === undefined ? [`--window ${of.windowMs / 1000}s`] : []),
    ...(given.allowLoopbackWebhooks === undefined
      ? [`--${of.allowLoopbackWebhooks ? '' : 'no-'}allow-loopback-webhooks`]
      : []),
  ];
  const usual = flags(DEFAULT_POLICY);
  const now = flags(policy);
  return {
    kept: now.filter((flag, index) => flag !== usual[index]),
    back: usual.filter((flag, index) => flag !== now[index]),
  };
}

/** Reads `GROUP=N` and `GROUP=off`. Throws usage. */
export function parseLimits(given: readonly string[]): Partial<Record<Group, number | null>> {
  return Object.fromEntries(
    given.map((text) => {
      const [, group, value] = /^(\w+)=(off|[1-9]\d{0,8})$/.exec(text) ?? [];
      if (!group || !GROUPS.includes(group as Group)) {
        throw new SvcError('usage', `--limit ${text} is not GROUP=N or GROUP=off`, {
          hint: `the groups are ${GROUPS.join(', ')}: --limit ingest=600`,
        });
      }
      return [group, value === 'off' ? null : Number(value)];
    }),
  );
}

const SHORTEST_WINDOW_MS = 100;
const LONGEST_WINDOW_MS = 24 * 3600_000;

/** Reads the length of the window in milliseconds. Throws usage. */
export function parseWindow(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const windowMs = parseDuration(text, '--window');
  if (windowMs >= SHORTEST_WINDOW_MS && windowMs <= LONGEST_WINDOW_MS) return windowMs;
  throw new SvcError('usage', `--window ${text} is not between 100ms and 24h`, {
    hint: (invocation) => invocation.again('--window', '60s'),
  });
}
