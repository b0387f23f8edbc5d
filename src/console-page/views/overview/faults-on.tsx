import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleFaults } from '../../../contract/console.ts';
import { about } from '../../data/about.ts';
import { ask } from '../../data/api.ts';
import { type Resource, useResource } from '../../data/resource.ts';
import { Failure } from '../../parts/states.tsx';
import { Text } from '../../parts/text.tsx';
import { EFFECTS, whenOf } from '../faults/fault-words.ts';

const EVERY_MS = 5_000;
/** Rules that are named; Faults has all. */
const MOST = 3;

/** The rules that inject faults here; undefined until they are known, and where none can be on. */
export const useFaults = (): Resource<ConsoleFaults> =>
  useResource(
    about.value?.machine ? 'faults' : undefined,
    (signal) => ask<ConsoleFaults>('faults', { signal }),
    EVERY_MS,
  );

export const onOf = (faults: Resource<ConsoleFaults>) => (faults.value?.rules ?? []).filter(({ on }) => on);

/** Says that this service fails on purpose, and ends it. Nothing while no rule is on. */
export function FaultsOn({ faults }: { faults: Resource<ConsoleFaults> }): VNode | null {
  const [failure, setFailure] = useState<Error>();
  const on = onOf(faults);
  if (on.length === 0) return null;
  const end = async () => {
    setFailure(undefined);
    for (const { place, index } of on)
      await ask('faults', { method: 'PUT', body: { place, index, on: false } });
  };
  return (
    <section class="attention" aria-label="Faults are on">
      <h2>Faults are on</h2>
      <ul>
        {on.slice(0, MOST).map(({ place, index, rule }) => (
          <li key={`${place} ${index}`}>
            <Text
              of={rule.endpoint ?? rule.type ?? (place === 'requests' ? 'any request' : 'any delivery')}
            />
            : {EFFECTS[place][rule.fault]} (<Text of={whenOf(rule)} />)
          </li>
        ))}
        {on.length > MOST && <li>and {on.length - MOST} more</li>}
        <li>
          <a href="/faults">Faults</a>{' '}
          {about.value?.write && (
            <button type="button" class="row-button" onClick={() => end().then(faults.reload, setFailure)}>
              Switch all off
            </button>
          )}
        </li>
        {failure && (
          <li>
            <Failure error={failure} />
          </li>
        )}
      </ul>
    </section>
  );
}
