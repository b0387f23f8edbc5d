import { expect, test } from 'vitest';
import { events, importer } from '../../../support/scenarios/importer.ts';
import { zipOf } from '../../../support/scenarios/shaped-inputs.ts';

const files = { 'a.ndjson': `${events(3).join('\n')}\n`, 'b.ndjson': `${events(3, 3).join('\n')}\n` };
const DAMAGED = {
  message: 'a.zip is a damaged zip archive: its list of files is damaged.',
  hint: 'unzip -t a.zip',
};

test('an archive that lists more files than it counts is refused, not read in part', async () => {
  const bytes = await zipOf(files);
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  expect(bytes.readUInt16LE(end + 10)).toBe(2);
  bytes.writeUInt16LE(1, end + 10);
  await expect(importer({ 'a.zip': bytes }).run()).rejects.toMatchObject(DAMAGED);
});

test('an archive whose file is longer than it claims is refused in words of its own', async () => {
  const bytes = await zipOf({ 'a.ndjson': `${events(3).join('\n')}\n` });
  bytes.writeUInt32LE(10, bytes.lastIndexOf('PK\x01\x02', undefined, 'latin1') + 24);
  await expect(importer({ 'a.zip': bytes }).run()).rejects.toMatchObject({
    message: 'a.ndjson in a.zip is damaged: its content is longer than the archive says.',
  });
});
