import { expect, it } from 'vitest';
import { render } from '../../../src/cli/terminal/text.ts';
import {
  jsonLine,
  type Layout,
  readEvent,
  tableHead,
  tableLine,
} from '../../../src/features/live-events/event.ts';

const DATA =
  '{"userId":"customer-000017","event":"product_viewed","timestamp":"2026-01-31T12:00:00.123Z","origin":"client","properties":{"sku":"A-1042","price":33.20,"title":"Two words","big":12345678901234567890}}';
const all = ['timestamp', 'userId', 'event', 'origin', 'properties'] as const;
const line = (layout: Layout, data = DATA) => render(tableLine(readEvent(data), data, layout), false);

it('shows the properties of an event on a terminal of 80 columns', () => {
  const layout = { columns: 80, fields: all };
  expect(line(layout)).toBe(
    '2026-01-31T12:00:00Z  customer-0000…  product_viewed  client  sku=A-1042 price=…',
  );
  expect(render(tableHead(layout), false)).toBe(
    'TIMESTAMP             USER            EVENT           ORIGIN  PROPERTIES',
  );
});

it.each([10, 24, 40, 61, 80, 200])('fits a terminal of %i columns', (columns) => {
  for (const fields of [all, ['properties'], ['event', 'timestamp']] as const)
    expect(line({ columns, fields }).length).toBeLessThanOrEqual(columns);
});

it('keeps the digits of numbers, in the table and in JSON', () => {
  expect(line({ columns: 300, fields: all })).toContain(
    'sku=A-1042 price=33.20 title="Two words" big=12345678901234567890',
  );
  expect(line({ columns: undefined, fields: ['properties', 'userId'] })).toBe(
    '{"sku":"A-1042","price":33.20,"title":"Two words","big":12345678901234567890}\tcustomer-000017',
  );
  expect(jsonLine(DATA, ['properties'])).toContain('"big":12345678901234567890');
  expect(jsonLine(DATA, undefined)).toBe(DATA);
});

it('shows data that is not an event as it came', () => {
  expect(line({ columns: 80, fields: all }, 'a comment')).toBe('a comment');
  expect(line({ columns: undefined, fields: all }, 'a comment')).toBe('\t\t\t\ta comment');
});
