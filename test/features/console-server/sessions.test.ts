import { expect, it, onTestFinished, vi } from 'vitest';
import { CODE_MS, Sessions } from '../../../src/features/console-server/sessions.ts';

const HOUR_MS = 3_600_000;

const atNoon = () => {
  const clock = { time: Date.parse('2026-03-01T12:00:00Z') };
  const sessions = new Sessions({ now: () => clock.time });
  onTestFinished(() => sessions.close());
  return { clock, sessions };
};

it('accepts a code for five minutes', () => {
  const { clock, sessions } = atNoon();
  const [first, second] = [sessions.newCode(), sessions.newCode()];
  clock.time += CODE_MS - 1;
  expect(sessions.exchange(first)).toEqual({ token: expect.any(String) });
  clock.time += 1;
  expect(sessions.exchange(second)).toBeUndefined();
});

it('ends a session after twelve hours without a request, and not before', () => {
  const { clock, sessions } = atNoon();
  const { token } = sessions.exchange(sessions.newCode())!;
  for (let day = 0; day < 3; day++) {
    clock.time += 12 * HOUR_MS - 1;
    expect(sessions.holds(token)).toBe(true);
  }
  clock.time += 12 * HOUR_MS;
  expect(sessions.holds(token)).toBe(false);
  clock.time -= HOUR_MS;
  expect(sessions.holds(token)).toBe(false);
});

it('keeps eight codes and sixteen sessions, the latest', () => {
  const { clock, sessions } = atNoon();
  const ended = vi.fn();
  const codes = Array.from({ length: 9 }, () => sessions.newCode(ended));
  expect(ended).toHaveBeenCalledTimes(1);
  expect(sessions.exchange(codes[0]!)).toBeUndefined();
  expect(sessions.exchange(codes[1]!)).toBeDefined();
  const tokens = Array.from({ length: 17 }, () => {
    clock.time += 1000;
    return sessions.exchange(sessions.newCode())!.token;
  });
  expect(tokens.map((token) => sessions.holds(token))).toEqual([false, ...Array(16).fill(true)]);
});
