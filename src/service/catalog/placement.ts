import { hash32 } from '../../kit/hash32.ts';

/** Share of the probability that is spread evenly over the candidates by default, so that each can be evaluated later. */
export const EXPLORATION_SHARE = 0.02;

/** Fixed weights for the decisions of a channel and surface, instead of the learned choice. */
export interface Placement {
  /** Undefined for any. */
  readonly channel: string | undefined;
  readonly surface: string | undefined;
  readonly weights: ReadonlyMap<string, number>;
  /** A user keeps the same content as long as the candidates are the same (an A/B test). */
  readonly perUser: boolean;
}

/** The first placement that matches a decision; undefined where the choice is learned. */
export function placementOf(
  placements: readonly Placement[],
  { channel, surface }: { readonly channel?: unknown; readonly surface?: unknown },
): Placement | undefined {
  return placements.find(
    (placement) =>
      (placement.channel === undefined || placement.channel === channel) &&
      (placement.surface === undefined || placement.surface === surface),
  );
}

/**
 * A number in [0, 1) that is fixed for a user and a purpose, evenly spread over users.
 * @param user the user by a hash
 */
export const shareOf = (user: string, purpose: string): number => hash32(`${purpose} ${user}`) / 2 ** 32;

/**
 * The index of the content that a user keeps at a placement, by weighted rendezvous hashing.
 * Each content gets its share of the users. Placements divide the users independently of each other, and a content that
 * is not eligible leaves the users of the others where they are.
 * @param user the user by a hash
 */
export function keptContent(
  { channel = '', surface = '', weights }: Placement,
  user: string,
  contentIds: readonly string[],
): number {
  const scores = contentIds.map((contentId) => {
    const share = shareOf(user, JSON.stringify([channel, surface, contentId]));
    return Math.log(share + 2 ** -33) / (weights.get(contentId) ?? 0);
  });
  return scores.indexOf(Math.max(...scores));
}
