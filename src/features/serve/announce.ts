import { isLoopback } from '../../cli/connection/settings.ts';
import type { Invocation } from '../../cli/invocation/invocation.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { CHANNELS } from '../../contract/schemas.ts';
import { reachableUrl } from '../../kit/reachable-url.ts';
import { shell } from '../../kit/shell.ts';
import type { PolicyChange } from '../../service/platform/settings.ts';
import { aboveCeiling, retentionNotice, storedFlags } from './options.ts';
import type { ReadyService } from './processes/messages.ts';

interface Announcement {
  readonly region: string | undefined;
  /** The flags with which another command works on the data that is served. */
  readonly placeFlags: readonly string[];
  readonly metricsUrl: string | undefined;
  /** The address of the console with a code, where it was asked for. */
  readonly consoleUrl: string | undefined;
  /** The number of processes, where they were asked for. */
  readonly processes: number | undefined;
  /** The settings given at this start. */
  readonly given: PolicyChange;
  readonly invocation: Invocation;
}

/** Prints that the service is ready and how to use it, and what an operator should know of its settings. */
export function announce(
  out: Output,
  service: ReadyService,
  { region, placeFlags, metricsUrl, consoleUrl, processes, given, invocation }: Announcement,
): void {
  const { workspace, apiKey, keyId, mode, testClock, withProvider, policy } = service;
  const bound = new URL(service.url);
  const reachable = reachableUrl(bound);
  const { origin: url } = reachable;
  const allAddresses = reachable.hostname !== bound.hostname;
  const secure = reachable.protocol === 'https:';
  // svc accepts plain http only for loopback addresses, so any other address is printed as https.
  const base = secure || isLoopback(reachable.hostname) ? url : `https://${reachable.hostname}`;
  const ready = { ready: true, url, workspace, mode, apiKey, key: apiKey, keyId, pid: process.pid };
  const more = {
    ...(metricsUrl === undefined ? {} : { metricsUrl }),
    ...(consoleUrl === undefined ? {} : { consoleUrl }),
    ...(processes === undefined ? {} : { processes }),
  };
  out.line({ ...ready, ...more }, () => [
    `serving ${region ? `region ${region} ` : ''}on ${allAddresses ? `all addresses of this machine, port ${bound.port}` : url}`,
    processes === undefined ? '\n' : ` with ${processes} ${processes === 1 ? 'process' : 'processes'}\n`,
    metricsUrl === undefined ? '' : `metrics on ${metricsUrl}\n`,
    consoleUrl === undefined
      ? ''
      : `console on ${consoleUrl} (valid once; for another address: ${invocation.onSameService('console')})\n`,
    shell`  export SVC_BASE_URL=${base} SVC_WORKSPACE=${workspace}`,
    apiKey === null ? '' : shell` SVC_API_KEY=${apiKey}`,
    region ? shell` SVC_REGION=${region}\n` : '\n',
    mode === 'test'
      ? [
          `${workspace} is a test workspace: its notifications are written to the outbox, no provider is called; `,
          testClock
            ? `its clock can be moved: ${invocation.onSameService('clock', 'advance', '1d')}\n`
            : `for a live one: ${invocation.onSameService('workspaces', 'create', '--mode', 'live', ...placeFlags)}\n`,
        ]
      : `${workspace} is a live workspace: ${whereLiveGo(withProvider)}\n`,
    'stop with Ctrl-C',
  ]);
  if (!secure && (allAddresses || !isLoopback(reachable.hostname)))
    out.notice(
      'svc on other machines requires https: pass --tls-cert and --tls-key, or run a TLS proxy in front of this service (docs/operations.md) and set SVC_BASE_URL to its address',
    );
  for (const warning of aboveCeiling(policy)) out.warn(warning);
  const kept = retentionNotice(policy);
  if (kept) out.notice(kept);
  const { stored, defaults } = storedFlags(policy, given);
  if (stored.length > 0)
    out.notice(
      `settings stored with this data: ${stored.join(' ')}; to restore the defaults, stop and run: ${invocation.rerunWith()} ${defaults.join(' ')}`,
    );
}

/** Where the notifications of a live workspace go, in words. */
function whereLiveGo(withProvider: readonly string[]): string {
  const others = CHANNELS.filter((channel) => !withProvider.includes(channel));
  if (withProvider.length === 0)
    return 'no channel has a provider (docs/providers), so its notifications are written to the outbox, unless another node has one';
  const to = `${withProvider.join(', ')} ${withProvider.length === 1 ? 'has a provider' : 'have providers'}`;
  return others.length === 0
    ? to
    : `${to}; ${others.join(', ')} go to the outbox, unless another node has one`;
}
