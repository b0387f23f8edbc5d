import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { followEvery } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Bar } from '../../parts/bars.tsx';
import { count } from '../../parts/numbers.ts';
import { Failure } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';

/** How much of what is sent again is queued, of some subscriptions; `ended` is called once it was read after the end of all. */
export function Progress({ ids, ended }: { ids: readonly string[]; ended: () => void }): VNode {
  const [over, setOver] = useState<string>();
  const { value, error, reload } = useResource(
    ids.join(' '),
    async (signal) => {
      const found = await Promise.all(ids.map((id) => call('getWebhook', { params: { id }, signal })));
      const all = found.flatMap(({ redelivery }) => redelivery ?? []);
      const endedAt = all.every((each) => each.endedAt !== null) ? all.at(-1)?.endedAt : undefined;
      setOver(endedAt ?? undefined);
      return {
        queued: all.reduce((sum, each) => sum + each.queued, 0),
        matched: all.reduce((sum, each) => sum + each.matched, 0),
      };
    },
    over === undefined ? followEvery() : undefined,
  );
  if (error && !value) return <Failure error={error} retry={reload} />;
  const { queued, matched } = value ?? { queued: 0, matched: 0 };
  return (
    <span class="redelivery" role="status">
      {value && (
        <Bar value={queued} max={matched} label={`${count(queued)} of ${count(matched)} sent again`} strong />
      )}
      {over !== undefined && (
        <>
          <span class="note">
            ended at <Time at={over} />
          </span>
          <button type="button" onClick={ended}>
            Done
          </button>
        </>
      )}
    </span>
  );
}
