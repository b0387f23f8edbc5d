/**
 * The state of a notification. The specification defines queued, dispatched and delivered; `held` (it waits for the end
 * of quiet hours, for a cap, or for the time that its request names), `failed` and `cancelled` are added
 * (docs/design-choices.md).
 */
export type NotificationState = 'queued' | 'held' | 'dispatched' | 'delivered' | 'failed' | 'cancelled';

/**
 * An event in the life of a notification.
 * `hold`: it may not be sent yet. `dispatch`: a worker is about to send it. `accept`: the channel accepted it, and a
 * receipt will follow. `deliver`: a receipt says so, or the channel accepted it and gives no receipts. `retry`: the channel
 * did not accept it, but may later. `fail`: the channel rejected it, a receipt says so, or the outcome is unknown. `cancel`:
 * its caller wants it to be sent no more, and no worker sends it.
 */
export type NotificationEvent = 'hold' | 'dispatch' | 'accept' | 'deliver' | 'retry' | 'fail' | 'cancel';

export const NOTIFICATION_EVENTS: readonly NotificationEvent[] = [
  'hold',
  'dispatch',
  'accept',
  'deliver',
  'retry',
  'fail',
  'cancel',
];

/** `moved`: a new state, to be added to the history. `stayed`: the same state. `refused`: the event is not allowed. */
export type Transition =
  | { outcome: 'moved'; state: NotificationState }
  | { outcome: 'stayed'; state: NotificationState }
  | { outcome: 'refused'; state: NotificationState };

const moved = (state: NotificationState): Transition => ({ outcome: 'moved', state });
const stayed = (state: NotificationState): Transition => ({ outcome: 'stayed', state });
const refused = (state: NotificationState): Transition => ({ outcome: 'refused', state });

/** The transition for each state and event. End states do not change, whatever a late worker reports. */
const TRANSITIONS: Readonly<Record<NotificationState, Readonly<Record<NotificationEvent, Transition>>>> = {
  queued: {
    hold: moved('held'),
    dispatch: moved('dispatched'),
    accept: refused('queued'),
    deliver: refused('queued'),
    retry: refused('queued'),
    fail: moved('failed'),
    cancel: moved('cancelled'),
  },
  held: {
    hold: stayed('held'),
    dispatch: moved('dispatched'),
    accept: refused('held'),
    deliver: refused('held'),
    retry: refused('held'),
    fail: moved('failed'),
    cancel: moved('cancelled'),
  },
  dispatched: {
    hold: moved('held'),
    dispatch: stayed('dispatched'),
    accept: stayed('dispatched'),
    deliver: moved('delivered'),
    retry: stayed('dispatched'),
    fail: moved('failed'),
    cancel: moved('cancelled'),
  },
  delivered: {
    hold: refused('delivered'),
    dispatch: refused('delivered'),
    accept: refused('delivered'),
    deliver: stayed('delivered'),
    retry: refused('delivered'),
    fail: refused('delivered'),
    cancel: refused('delivered'),
  },
  failed: {
    hold: refused('failed'),
    dispatch: refused('failed'),
    accept: refused('failed'),
    deliver: refused('failed'),
    retry: refused('failed'),
    fail: stayed('failed'),
    cancel: refused('failed'),
  },
  cancelled: {
    hold: refused('cancelled'),
    dispatch: refused('cancelled'),
    accept: refused('cancelled'),
    deliver: refused('cancelled'),
    retry: refused('cancelled'),
    fail: refused('cancelled'),
    cancel: stayed('cancelled'),
  },
};

/** The transition for an event in a state. Never throws. */
export function step(state: NotificationState, event: NotificationEvent): Transition {
  return TRANSITIONS[state][event];
}

export function isEnd(state: NotificationState): boolean {
  return state === 'delivered' || state === 'failed' || state === 'cancelled';
}
