import { expect, it } from 'vitest';
import { SharedRoom } from '../../../src/service/workers/shared-capacity.ts';

const all = { key: 'all', most: 10 };
const host = { key: 'host', most: 4 };

it('gives what the narrowest of several bounds has left', () => {
  const room = new SharedRoom();
  expect(room.take([all, host], 3)).toBe(3);
  expect(room.take([all, host], 3)).toBe(1);
  expect(room.take([all, host], 3)).toBe(0);
  expect(room.take([all], 20)).toBe(6);
  expect(room.take([all], 1)).toBe(0);
});

it('has the places again that were given back', () => {
  const room = new SharedRoom();
  room.take([all, host], 4);
  room.release([all, host], 2);
  room.release([all, host]);
  expect(room.take([all, host], 9)).toBe(3);
  room.release([all, host], 4);
  expect(room.take([all], 20)).toBe(10);
});

it('takes nothing where nothing is wanted', () => {
  const room = new SharedRoom();
  expect(room.take([all], 0)).toBe(0);
  expect(room.take([all], -1)).toBe(0);
  expect(room.take([all], 20)).toBe(10);
});
