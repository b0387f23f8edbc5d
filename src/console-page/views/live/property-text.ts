import type { WatchedEvent } from '../../../contract/schemas/events.ts';

type Value = NonNullable<WatchedEvent['properties']>[string];

/** False for a number that JavaScript cannot hold as it was sent: its last digits are lost. */
export const isExact = (value: Value): boolean =>
  typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);

/** The value of a property; a number whose last digits are lost says so. */
export const propertyText = (value: Value): string => `${isExact(value) ? '' : '≈ '}${value}`;
