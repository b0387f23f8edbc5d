import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/process/run-svc.ts';

const SERVICE = join(ROOT, 'src/service');

/** The files of the service whose code matches a pattern. */
const filesWith = (pattern: RegExp): string[] =>
  readdirSync(SERVICE, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => {
      const code = readFileSync(join(SERVICE, name), 'utf8').replace(/^\s*(?:\/?\*|\/\/).*$/gm, '');
      return pattern.test(code);
    })
    .sort();

// A test clock moves the time of a transaction and of the platform's clock, and nothing else (platform/service-clock.ts).
it('no feature reads the time of the machine or of the database', () => {
  expect(filesWith(/\bDate\.now\b|\bnew Date\(\)|\bsystemClock\b/)).toEqual(['start.ts']);
  expect(filesWith(/clock_timestamp|statement_timestamp|CURRENT_TIMESTAMP|\bnow\(\)::/i)).toEqual([
    'platform/limits/postgres-limiter.ts',
    'platform/store/postgres/older-transactions.ts',
    'platform/store/postgres/settings.ts',
    'platform/store/schema/limiter.ts',
  ]);
  expect(filesWith(/\bNOW\b/)).toEqual(
    ['migrate', 'run-transaction', 'settings', 'store'].map((name) => `platform/store/postgres/${name}.ts`),
  );
});

it('only rate limits, certificates and signatures take the time of the machine', () => {
  expect(filesWith(/\bmachine\b/)).toEqual([
    'http/access/client-access.ts',
    'notifications/receipts/routes.ts',
    'notifications/unsubscribe.ts',
    'platform/platform.ts',
    'platform/service-clock.ts',
    'start.ts',
    'webhooks/deliverer.ts',
  ]);
});
