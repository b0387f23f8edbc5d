import type { VNode } from 'preact';
import { useFilters } from '../../data/filters.ts';
import { useTrend } from '../../data/trends.ts';
import { chartRangeOf, keptRange, RangeControl, rangeWords } from '../../parts/range.tsx';
import { Failure } from '../../parts/states.tsx';
import { GainOverTime, GoalsOverTime } from '../contents/trend-boxes.tsx';
import { ContentMix } from './content-mix.tsx';
import { EventBox } from './event-box.tsx';

/** What happened over a range of time that is chosen. */
export function Trends(): VNode {
  const filters = useFilters();
  const range = { ...chartRangeOf(filters) };
  const key = keptRange(filters.values);
  const decisions = useTrend('getDecisionTrend', range, `decisions ${key}`);
  const events = useTrend('getEventTrend', range, `events ${key}`);
  const when = rangeWords(filters.values, decisions.value);
  const error = decisions.error ?? events.error;
  return (
    <>
      <div class="toolbar">
        <h2>Over time</h2>
        <RangeControl filters={filters} all={false} />
      </div>
      {error && <Failure error={error} retry={decisions.error ? decisions.reload : events.reload} />}
      {decisions.value && <ContentMix of={decisions.value} when={when} />}
      {/* The first goal is the one that matters most; Contents has all. */}
      {decisions.value && <GoalsOverTime of={decisions.value} when={when} most={1} />}
      {/* Once what stands above and beside them is known, so that neither jumps. */}
      {(decisions.value ?? decisions.error) && (events.value ?? events.error) && (
        <div class="columns">
          {events.value && <EventBox of={events.value} when={rangeWords(filters.values, events.value)} />}
          {decisions.value && <GainOverTime of={decisions.value} when={when} />}
        </div>
      )}
    </>
  );
}
