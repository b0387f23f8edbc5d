import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../data/api.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Text } from '../../parts/text.tsx';

type Entry = Readonly<Record<string, unknown>>;

/** Pauses a content, or resumes it, once that is confirmed: it stores a version of the catalog. */
export function PauseButton(props: { id: string; paused: boolean; done: () => void }): VNode {
  const { id, paused, done } = props;
  const [asked, setAsked] = useState(false);
  const verb = paused ? 'Resume' : 'Pause';
  const run = async () => {
    const { catalog, version } = await call('getCatalog');
    const { contents = [] } = catalog as { contents?: readonly Entry[] };
    const changed = contents.map((entry) => {
      if (entry.contentId !== id) return entry;
      const { paused: _, ...going } = entry;
      return paused ? going : { ...going, paused: true };
    });
    await call('putCatalog', {
      body: {
        catalog: { ...catalog, contents: changed },
        ifVersion: version,
        author: 'console',
        note: `${verb} ${id}`.slice(0, 256),
      },
    });
    done();
  };
  return (
    <>
      <button type="button" class={paused ? undefined : 'danger'} onClick={() => setAsked(true)}>
        <Icon name={paused ? 'play' : 'pause'} /> {verb}
      </button>
      {asked && (
        <Confirm
          title={`${verb} this content`}
          verb={verb}
          danger={!paused}
          run={run}
          close={() => setAsked(false)}
        >
          <p>
            <Text of={id} />{' '}
            {paused
              ? 'is chosen again, as its rules allow.'
              : 'is chosen no more until it is resumed, and its messages that wait for an app are withdrawn.'}{' '}
            This publishes a version of the catalog, which every node follows within a second.
          </p>
        </Confirm>
      )}
    </>
  );
}
