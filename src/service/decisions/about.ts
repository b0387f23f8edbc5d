import type { About } from '../webhooks/rules/occurrence.ts';
import type { Earning } from './store/earnings.ts';

/** What filters of webhooks look at beside the content. */
export function aboutOf({
  context: { channel, surface },
  category,
}: Pick<Earning, 'context' | 'category'>): About {
  return {
    ...(typeof channel === 'string' && { channel }),
    ...(typeof surface === 'string' && { surface }),
    ...(category !== null && { category }),
  };
}
