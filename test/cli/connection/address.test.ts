import { expect, it } from 'vitest';
import { checkAddress } from '../../../src/cli/connection/settings.ts';

it.each([
  ['eu.example.com', 'https://eu.example.com'],
  ['eu.example.com:8443/api', 'https://eu.example.com:8443/api'],
  ['svc:4010', 'https://svc:4010'],
  ['localhost', 'http://localhost'],
  ['[::1]:4010', 'http://[::1]:4010'],
  ['127.0.0.1:4031/', 'http://127.0.0.1:4031'],
  ['https://eu.example.com', 'https://eu.example.com'],
])('reads the base URL %s as %s', (given, completed) => {
  expect(checkAddress(given)).toBe(completed);
});

it.each(['eu', 'mailto:x', 'ftp://eu.example.com', 'eu example.com', 'http:/x', '//x.example', '10.0.0.1:x'])(
  'refuses the base URL %s',
  (given) => {
    expect(() => checkAddress(given)).toThrow(/base URL|unencrypted/);
  },
);
