import type { Output } from '../../cli/terminal/output.ts';
import { bold, type Text } from '../../cli/terminal/text.ts';
import { objectOf } from '../../kit/object-of.ts';

/** Renders what is known of a user: fields, consent, then the channels. */
export function showUser(body: unknown, out: Output): Text {
  const user = objectOf(body);
  const text = (value: unknown) =>
    Array.isArray(value) ? value.map(String).join(', ') : typeof value === 'string' ? value : '';
  const lines: Text[] = [];
  for (const [title, key] of [
    ['user', 'hashId'],
    ['status', 'status'],
    ['time zone', 'timeZone'],
    ['locale', 'locale'],
    ['fields', 'fields'],
    ['traits', 'traits'],
    ['opted in', 'optIn'],
    ['opted out', 'optOut'],
  ] as const) {
    const value = text(user[key]);
    if (value !== '') lines.push([bold(title.padEnd(11)), value, '\n']);
  }
  const channels = Array.isArray(user.channels) ? user.channels.map(objectOf) : [];
  if (channels.length === 0) return lines;
  const cell = (value: unknown) => (typeof value === 'number' ? String(value) : text(value));
  return [
    ...lines,
    out.table(
      [{ title: 'CHANNEL' }, { title: 'ADDRESSES' }, { title: 'BOUNCED' }, { title: 'STOPPED' }],
      channels.map((each) => [
        cell(each.channel),
        cell(each.addresses),
        cell(each.bounced),
        cell(each.stopped),
      ]),
    ),
  ];
}
