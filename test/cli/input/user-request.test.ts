import { describe, expect, it } from 'vitest';
import { requireUser } from '../../../src/cli/input/named-user.ts';
import { parseUserRequest } from '../../../src/cli/input/user-request.ts';

describe('a line of --input', () => {
  it.each([
    ['3f1c', { hashId: '3f1c' }],
    ['"3f1c"', { hashId: '3f1c' }],
    ['{"hashId": "3f1c"}', { hashId: '3f1c' }],
    ['{"new": 1, "hashId": "3f1c", "parts": {}}', { new: 1, hashId: '3f1c', parts: {} }],
    ['{"hashId": "3f1c", "userId": "u"}', { hashId: '3f1c' }],
  ])('%s gives a request', (line, request) => {
    expect(parseUserRequest(line, ['parts'])).toEqual(request);
  });

  it.each([
    ['{', 'the line is not valid JSON'],
    ['[]', 'the line has no hashId'],
    ['""', 'the line has no hashId'],
    ['{"hashId": ""}', 'the line has no hashId'],
    ['{"hashId": 5}', 'the line has no hashId'],
    ['{"hashId": "h", "parts": null}', 'parts must be an object'],
    ['{"hashId": "h", "parts": []}', 'parts must be an object'],
  ])('%s is refused', (line, message) => {
    expect(() => parseUserRequest(line, ['parts'])).toThrow(message);
  });
});

it('a single request needs a user', () => {
  expect(() => requireUser({ 'hash-id': 'h' })).not.toThrow();
  for (const hashId of ['', undefined])
    expect(() => requireUser({ 'hash-id': hashId })).toThrow('no user is given');
});
