/** Where a notification stands. The specification has the first three; `failed` is ours (docs/decisions.md). */
export type NotificationState = 'queued' | 'dispatched' | 'delivered' | 'failed';

/**
 * What can happen to a notification.
 * `dispatch`: a worker is about to hand it to its channel. `deliver`: the channel took it.
 * `retry`: the channel surely did not take it, and may later. `fail`: it never will, or nobody can know.
 */
export type NotificationEvent = 'dispatch' | 'deliver' | 'retry' | 'fail';

export const NOTIFICATION_EVENTS: readonly NotificationEvent[] = ['dispatch', 'deliver', 'retry', 'fail'];

/** `moved`: a new state, to be written to the history. `stayed`: nothing to write. `refused`: the event is out of place. */
export type Transition =
  | { outcome: 'moved'; state: NotificationState }
  | { outcome: 'stayed'; state: NotificationState }
  | { outcome: 'refused'; state: NotificationState };

const moved = (state: NotificationState): Transition => ({ outcome: 'moved', state });
const stayed = (state: NotificationState): Transition => ({ outcome: 'stayed', state });
const refused = (state: NotificationState): Transition => ({ outcome: 'refused', state });

/** Every state × event, once. An end state stays what it is, whatever a late worker reports. */
const MOVES: Readonly<Record<NotificationState, Readonly<Record<NotificationEvent, Transition>>>> = {
  queued: {
    dispatch: moved('dispatched'),
    deliver: refused('queued'),
    retry: refused('queued'),
    fail: moved('failed'),
  },
  dispatched: {
    dispatch: stayed('dispatched'),
    deliver: moved('delivered'),
    retry: stayed('dispatched'),
    fail: moved('failed'),
  },
  delivered: {
    dispatch: refused('delivered'),
    deliver: stayed('delivered'),
    retry: refused('delivered'),
    fail: refused('delivered'),
  },
  failed: {
    dispatch: refused('failed'),
    deliver: refused('failed'),
    retry: refused('failed'),
    fail: stayed('failed'),
  },
};

/** The answer to an event in a state. Total: it never throws. */
export function step(state: NotificationState, event: NotificationEvent): Transition {
  return MOVES[state][event];
}

export function isEnd(state: NotificationState): boolean {
  return state === 'delivered' || state === 'failed';
}
