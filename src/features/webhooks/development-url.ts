import { isLoopback } from '../../cli/connection/settings.ts';
import type { Output } from '../../cli/terminal/output.ts';

/** Says that a URL that only the service inside svc allows, such as one of this machine, needs a flag of `svc serve`. */
export function warnOfDevelopmentUrl(
  url: string,
  { isLocal }: { readonly isLocal: boolean },
  out: Output,
): void {
  const { protocol, hostname } = new URL(url);
  if (isLocal && (protocol === 'http:' || isLoopback(hostname)))
    out.notice(
      'a service on this data delivers to this URL only if it is started with --allow-loopback-webhooks',
    );
}
