import { expect, test } from 'vitest';
import { jsonMapper } from '../../../../src/features/import/mapping/map-json.ts';
import { parseRule } from '../../../../src/features/import/mapping/map-rules.ts';
import { madeJson } from '../../../support/collect.ts';
import { MAPPING } from '../../../support/scenarios/importer.ts';

const AT = '2026-01-31T12:00:00Z';

function mapped(record: object, rules: string[], more: object) {
  const map = rules.map((rule) => parseRule(rule)!);
  const made = jsonMapper({ ...MAPPING, map, ...more })(JSON.stringify(record));
  if ('field' in made) return made;
  return 'unchanged' in made ? record : madeJson(made);
}

const ECS = { event: { verb: 'login', category: 'auth' }, user: { id: 'u1', name: 'Ann' }, timestamp: AT };
const RULES = ['event=event.verb', 'userId=user.id'];

test('what is beside a path that a field is read from becomes a property', () => {
  expect(mapped(ECS, RULES, { extraFields: 'properties', nested: 'flatten' })).toEqual({
    userId: 'u1',
    event: 'login',
    timestamp: AT,
    properties: { 'event.category': 'auth', 'user.name': 'Ann' },
  });
  expect(mapped(ECS, RULES, { extraFields: 'drop' })).toEqual({
    userId: 'u1',
    event: 'login',
    timestamp: AT,
  });
});

test('so does a field of that name that is read from elsewhere', () => {
  const record = { userId: 'old', user: { id: 'u1' }, event: 'e', timestamp: AT };
  expect(mapped(record, ['userId=user.id'], { extraFields: 'properties' })).toEqual({
    userId: 'u1',
    event: 'e',
    timestamp: AT,
    properties: { userId: 'old' },
  });
});

test('without a flag for it, the record is rejected with one', () => {
  expect(mapped(ECS, RULES, {})).toMatchObject({
    field: 'event',
    reason: expect.stringContaining('--extra-fields properties'),
  });
});

test('a field stays where what it should be read from is not there', () => {
  const record = { userId: 'own', event: 'e', timestamp: AT };
  expect(mapped(record, ['userId=user.id'], { extraFields: 'properties' })).toEqual(record);
});
