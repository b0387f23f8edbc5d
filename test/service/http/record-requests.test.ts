import { expect, it, vi } from 'vitest';
import { recordRequests, unobserved } from '../../../src/service/http/record-requests.ts';
import { untraced } from '../../../src/service/platform/tracing/tracing.ts';

it('logs the first requests of a second, and says how many were left out', () => {
  const log = vi.fn();
  const recorder = recordRequests(log, unobserved, untraced);
  const request = { endpoint: undefined, method: 'GET', route: '/v1/users/{hashId}', traceparent: undefined };
  for (let i = 0; i < 130; i++) recorder.begin(request).end(200);
  recorder.close();
  const levels = log.mock.calls.map(([level, message]) => `${level} ${message}`);
  expect(levels.filter((line) => line === 'info request')).toHaveLength(100);
  expect(levels.filter((line) => line === 'debug request')).toHaveLength(30);
  expect(log.mock.lastCall).toEqual(['info', 'requests were left out of the log', { omitted: 30 }]);
  recorder.begin(request).end(200);
  recorder.close();
  expect(log.mock.lastCall![1]).toBe('request');
});
