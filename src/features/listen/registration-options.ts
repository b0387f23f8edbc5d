import type { Connection } from '../../cli/connection/connect.ts';
import { type ConnectionFlags, isLoopback, resolveSettings } from '../../cli/connection/settings.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import type { Output } from '../../cli/terminal/output.ts';
import type { World } from '../../cli/terminal/world.ts';
import type { Client } from '../../client/client.ts';
import type { ApiError } from '../../client/errors.ts';
import { EVENT_KINDS } from '../../contract/schemas.ts';
import { parseTarget, RouteError } from './routes.ts';
import type { RegisterOptions } from './session.ts';

export interface RegistrationFlags extends ConnectionFlags {
  readonly register?: string | undefined;
  readonly 'no-register': boolean;
}

/**
 * Whether the listener subscribes itself: `asked` with --register, `offered` on `local` and at a service on this
 * machine, else `no`. Throws not_configured where it is asked for and there is no service.
 */
export function registrationMode(flags: RegistrationFlags, world: World): 'asked' | 'offered' | 'no' {
  if (flags.register !== undefined) {
    resolveSettings(flags, world);
    return 'asked';
  }
  if (flags['no-register']) return 'no';
  try {
    const settings = resolveSettings(flags, world);
    if (settings.kind === 'local') return 'offered';
    return isLoopback(new URL(settings.baseUrl).hostname) ? 'offered' : 'no';
  } catch (error) {
    if (error instanceof SvcError && error.code === 'not_configured') return 'no';
    throw error;
  }
}

/** What the session needs to register, and what to say where the service refuses it. */
export function registration({
  connection,
  flags,
  kinds,
  secret,
  leaseSeconds,
  subscriptionOptional,
  out,
}: {
  connection: Connection & { client: Client };
  flags: RegistrationFlags;
  kinds: readonly string[] | undefined;
  secret: string;
  leaseSeconds: number;
  /** The secret was given: listening without a subscription is of use. */
  subscriptionOptional: boolean;
  out: Output;
}): RegisterOptions {
  return {
    client: connection.client,
    publicUrl: flags.register === undefined ? undefined : publicUrl(flags.register),
    events: kinds ?? EVENT_KINDS,
    secret,
    leaseSeconds,
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
        throw new SvcError('refused', `${connection.baseUrl} takes no subscription to this machine`, {
          hint: (invocation) =>
            `start it so that it does: svc serve --allow-loopback-webhooks\nor listen on the one inside svc: ${invocation.locally()}`,
        });
      }
      out.notice(
        `not subscribed: ${connection.baseUrl} takes no subscription to this machine (svc serve --allow-loopback-webhooks does)`,
      );
      return true;
    },
  };
}

function publicUrl(text: string): URL {
  try {
    return parseTarget(text);
  } catch (error) {
    if (!(error instanceof RouteError)) throw error;
    throw new SvcError('usage', error.message, {
      hint: 'give the address under which the service reaches it',
    });
  }
}
