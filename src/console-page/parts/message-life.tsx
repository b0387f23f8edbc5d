import type { VNode } from 'preact';
import type { AnswerOf } from '../../contract/endpoints.ts';
import { Badge, type Tone } from './badge.tsx';
import type { Meanings } from './term.tsx';
import { duration, Time } from './time.tsx';

export type ListedMessage = AnswerOf<'listLatestMessages'>['messages'][number];
type State = ListedMessage['state'];

const TONES: Partial<Record<State, Tone>> = { tapped: 'good' };

/** What the states of messages mean. */
export const STATES: Meanings = [
  ['waiting', 'No app has fetched it yet.'],
  ['served', 'An app has fetched it; the user has not answered.'],
  ['opened', 'The app reported that the user looked at it.'],
  ['tapped', 'The user followed it, as the app reported (clicked or actioned in the API): it is rewarded.'],
  ['dismissed', 'Put away by the user.'],
  ['ended', 'Without an answer: its time was over, another took its place, or it no longer suited the user.'],
];

/** What the user did, or the state after it, in the one word that the page has for what the API calls `clicked`, `actioned` and `tapped`. */
export const outcomeWord = (type: string): string =>
  type === 'clicked' || type === 'actioned' || type === 'tapped' ? 'acted on' : type;

/** The state of a message. */
export const StateBadge = ({ of }: { of: State }): VNode => (
  <Badge tone={TONES[of] ?? 'plain'}>{outcomeWord(of)}</Badge>
);

/** True while the user may still answer it. */
export const isOpen = ({ state }: ListedMessage): boolean =>
  state === 'waiting' || state === 'served' || state === 'opened';

/** What happened to a message, first to last, with the time since the step before. */
export function MessageLife(props: {
  of: Pick<ListedMessage, 'at' | 'servedAt' | 'outcomes' | 'state'>;
  /** Words of what follows from it. */
  end?: string | undefined;
}): VNode {
  const { at, servedAt, outcomes, state } = props.of;
  const steps = [
    ['decided', at],
    ...(servedAt === null ? [] : [['served', servedAt]]),
    ...outcomes.map(({ type, at }) => [outcomeWord(type), at]),
  ] as [string, string][];
  const end = props.end ?? (state === 'waiting' || state === 'ended' ? state : undefined);
  return (
    <ol class="life" aria-label="What happened to it">
      {steps.map(([word, time], i) => (
        <li key={`${word} ${time}`}>
          <strong>{word}</strong> <Time at={time} />
          {i > 0 && (
            <span class="note">
              {' '}
              +{duration(Math.max(0, Date.parse(time) - Date.parse(steps[i - 1]![1])))}
            </span>
          )}
        </li>
      ))}
      {end !== undefined && (
        <li>
          <strong>{end}</strong>
        </li>
      )}
    </ol>
  );
}
