import { type Clock, systemClock } from '../../../src/kit/clock.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import type { Send } from './sample-data.ts';

const HOUR_MS = 3_600_000;

/** A clock that runs behind the real one by as much as it is told. */
export function laggingClock(): Clock & { lagMs: number } {
  const clock = { lagMs: 0, now: () => Date.now() - clock.lagMs, sleep: systemClock.sleep };
  return clock;
}

/** How often a message of a content is rewarded: what the model has to learn. */
const WORTH: Readonly<Record<string, number>> = {
  card_offer: 0.42,
  savings_boost: 0.34,
  refer_a_friend: 0.16,
  security_check: 0.12,
  travel_notice: 0.1,
};
const WORTH_OF_OTHERS = 0.05;
/** How often a message that is acted on leads to an order, the goal of the catalog. */
const ORDERING = 0.35;

/** How much more often a message of card_offer is rewarded once its title is another one. */
const BETTER = 0.3;

/**
 * Lives through hours of an app: users open it, are shown messages, and act on some. The clock ends at the present.
 * Repeatable but for the choices of the service.
 */
export async function liveThroughHours(
  send: Send,
  clock: ReturnType<typeof laggingClock>,
  {
    improve,
    each,
    hours = 36,
    users = 90,
    perHour = 40,
  }: {
    /** Stores a better card_offer, after half of the hours. */
    readonly improve?: () => Promise<unknown>;
    /** What else happens in each hour, from 0. */
    readonly each?: (hour: number) => Promise<unknown>;
    readonly hours?: number;
    readonly users?: number;
    readonly perHour?: number;
  } = {},
): Promise<void> {
  const random = seededRandom('console');
  clock.lagMs = hours * HOUR_MS;
  const { users: stored } = await send<{ users: { hashId: string }[] }>('/v1/users', {
    users: Array.from({ length: users }, (_, i) => ({
      userId: `app-${i}`,
      locale: ['en-GB', 'fr-FR', 'de-DE'][i % 3],
      timeZone: 'Europe/Paris',
    })),
  });
  const half = Math.floor(hours / 2);
  for (let hour = 0; hour < hours; hour++) {
    clock.lagMs = (hours - hour) * HOUR_MS;
    if (hour === half) await improve?.();
    await each?.(hour);
    await Promise.all(
      // More and fewer in turn, as through a day.
      Array.from({ length: Math.round(perHour * (1 - 0.6 * Math.cos((hour / 12) * Math.PI))) }, async () => {
        const user = Math.floor(random() * users);
        const { hashId } = stored[user]!;
        const context = {
          channel: 'in-app',
          surface: ['home', 'account', 'offers'][Math.floor(random() * 3)],
        };
        await send('/v1/decisioning/decide', { hashId, context });
        const { messages } = await send<{ messages: { decisionId: string; contentId: string }[] }>(
          `/v1/messages?hashId=${hashId}`,
        );
        for (const { decisionId, contentId } of messages) {
          const better = improve && hour >= half && contentId === 'card_offer' ? BETTER : 0;
          const type = random() < (WORTH[contentId] ?? WORTH_OF_OTHERS) + better ? 'actioned' : 'dismissed';
          await send(`/v1/messages/${decisionId}/outcomes`, { type });
          if (type === 'actioned' && random() < ORDERING)
            await send('/v1/events', {
              events: [
                {
                  ...{ userId: `app-${user}`, event: 'order_completed' },
                  timestamp: new Date(clock.now()).toISOString(),
                },
              ],
            });
        }
      }),
    );
  }
  clock.lagMs = 0;
}
