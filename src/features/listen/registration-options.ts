import type { Connection } from '../../cli/connection/connect.ts';
import { type ConnectionFlags, isLoopback, resolveSettings } from '../../cli/connection/settings.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { asUsageError } from '../../cli/errors/usage-error.ts';
import type { Invocation } from '../../cli/invocation/invocation.ts';
import type { Output } from '../../cli/terminal/output.ts';
import type { World } from '../../cli/terminal/world.ts';
import type { Client } from '../../client/client.ts';
import type { ApiError } from '../../client/errors.ts';
import { TAP_KINDS } from '../../contract/event-kinds.ts';
import { parseTarget, RouteError } from './routes.ts';
import type { RegisterOptions } from './session.ts';

export interface RegistrationFlags extends ConnectionFlags {
  readonly register?: string | undefined;
  readonly 'no-register': boolean;
}

/**
 * Decides whether the listener subscribes itself: `required` with --register, `automatic` on `local` and with a service
 * on this machine, else `no`. Throws not_configured where it is required and no service is configured.
 */
export function registrationMode(flags: RegistrationFlags, world: World): 'required' | 'automatic' | 'no' {
  if (flags.register !== undefined) {
    resolveSettings(flags, world);
    return 'required';
  }
  if (flags['no-register']) return 'no';
  try {
    const settings = resolveSettings(flags, world);
    if (settings.kind === 'local') return 'automatic';
    return isLoopback(new URL(settings.baseUrl).hostname) ? 'automatic' : 'no';
  } catch (error) {
    if (error instanceof SvcError && error.code === 'not_configured') return 'no';
    throw error;
  }
}

/** Returns what a session needs to subscribe, including how to handle a refusal. */
export function registration({
  connection,
  flags,
  kinds,
  secret,
  since,
  leaseSeconds,
  subscriptionOptional,
  out,
  invocation,
}: {
  connection: Connection & { client: Client };
  flags: RegistrationFlags;
  kinds: readonly string[] | undefined;
  secret: string;
  /** Since when outcomes are sent too. */
  since: string | undefined;
  leaseSeconds: number;
  /** True where the user provided the secret, so that listening without a subscription is useful. */
  subscriptionOptional: boolean;
  out: Output;
  invocation: Invocation;
}): RegisterOptions {
  return {
    client: connection.client,
    publicUrl: flags.register === undefined ? undefined : publicUrl(flags.register),
    events: kinds ?? TAP_KINDS,
    secret,
    since,
    leaseSeconds,
    removal: (id) => invocation.onSameResource(id, 'webhooks', 'delete'),
    onRejected: (error) => {
      const { status, details = [], name } = error as Partial<ApiError>;
      if (name === 'TransportError' && subscriptionOptional && flags.register === undefined) {
        out.notice(`not subscribed: ${(error as Error).message}`);
        return true;
      }
      const refusesAddress = details.length === 0 || details.some(({ field }) => field === 'url');
      if (!refusesAddress) return false;
      if (flags.register !== undefined || status === undefined || status < 400 || status > 499) return false;
      if (status === 401 || status === 403 || status === 429) return false;
      if (!subscriptionOptional) {
        throw new SvcError(
          'refused',
          `${connection.baseUrl} does not accept subscriptions for a loopback address`,
          {
            hint: (invocation) =>
              `start the service with: svc serve --allow-loopback-webhooks\nor use the service inside svc: ${invocation.locally()}`,
          },
        );
      }
      out.notice(
        `not subscribed: ${connection.baseUrl} does not accept subscriptions for a loopback address (svc serve --allow-loopback-webhooks does)`,
      );
      return true;
    },
  };
}

function publicUrl(text: string): URL {
  return asUsageError(RouteError, 'use the URL at which the service reaches this listener', () =>
    parseTarget(text),
  );
}
