import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { knownUser, tap } from '../../support/process/webhooks-service.ts';
import { tempDir } from '../../support/temp.ts';

const content = (contentId: string, rest: object = {}) => ({
  contentId,
  ...{ category: 'any', format: 'card', title: contentId, body: 'Body' },
  ...rest,
});

async function team() {
  const service = await startTestService();
  const cwd = tempDir();
  const svc = (...argv: string[]) => runSvc(argv, { env: service.env, cwd });
  const write = (name: string, value: unknown) =>
    writeFileSync(join(cwd, name), typeof value === 'string' ? value : JSON.stringify(value));
  return { service, cwd, svc, write };
}

it('keeps a catalog in a file: get, change, diff, put, versions, revert', async () => {
  const { cwd, svc, write } = await team();
  const got = await svc('catalog', 'get');
  expect(got).toMatchObject({ code: 0, stderr: '' });
  write('catalog.json', got.stdout);
  expect(await svc('catalog', 'diff', 'catalog.json')).toMatchObject({ code: 0, stdout: 'no difference\n' });

  const catalog = JSON.parse(got.stdout);
  catalog.contents[0].title = 'Take the tour';
  catalog.contents.splice(1, 1);
  catalog.contents.push(content('new'));
  write('catalog.json', catalog);
  const diff = await svc('catalog', 'diff', 'catalog.json');
  expect(diff.code).toBe(8);
  expect(diff.stdout).toContain('- contents.complete_profile');
  expect(diff.stdout).toContain('~ contents.welcome_tour.title "Take the two-minute tour" → "Take the tour"');
  expect(diff.stdout).toContain('+ contents.new');
  expect(diff.stderr).toContain('svc catalog put --if-version 0 catalog.json');

  const put = await svc('catalog', 'put', 'catalog.json', '--if-version', '0', '--author', 'ada', '--json');
  expect(put.code, put.stderr).toBe(0);
  expect(JSON.parse(put.stdout)).toMatchObject({ version: 1, author: 'ada', unchanged: false });
  expect((await svc('catalog', 'put', 'catalog.json')).stdout).toBe(
    'version 1 is in force: nothing has changed\n',
  );

  // What get printed is based on a version.
  const based = await svc('catalog', 'get', '--json');
  write('based.json', based.stdout);
  write('catalog.json', { contents: [content('other')] });
  expect((await svc('catalog', 'put', 'catalog.json', '--author', 'bob', '--note', 'All new')).code).toBe(0);
  const late = await svc('catalog', 'put', 'based.json');
  expect(late.code).toBe(5);
  expect(late.stderr).toMatch(/has version 2 by now, not 1/);
  expect(late.stderr).toContain('next: show what differs: svc catalog diff based.json');

  const versions = await svc('catalog', 'versions');
  expect(versions.stdout).toMatch(/2\t.*\tbob\tAll new/);
  const refused = await svc('catalog', 'revert', '--author', 'ada');
  expect(refused.code).toBe(5);
  expect(refused.stderr).toMatch(/undo changes by bob/);
  expect(refused.stderr).toContain('add --over');
  expect(await svc('catalog', 'revert', '1', '--over', '2')).toMatchObject({
    code: 0,
    stdout: 'version 3 is in force\n',
  });
  // Back to what was in force before the first change.
  expect((await svc('catalog', 'revert', '0', '--over', '3')).stdout).toBe('version 4 is in force\n');
  const first = JSON.parse((await svc('catalog', 'get', '--version', '0')).stdout);
  expect(first.contents.length).toBeGreaterThan(1);
  expect(JSON.parse((await svc('catalog', 'get')).stdout)).toEqual(first);
  expect(JSON.parse((await svc('catalog', 'get', '--version', '2')).stdout)).toEqual({
    contents: [content('other')],
  });
  expect((await svc('catalog', 'get', '--version', '9')).code).toBe(5);
  expect(readFileSync(join(cwd, 'based.json'), 'utf8')).toContain('"version"');
});

it('suggests the next command for the service that was compared', async () => {
  const { service, svc, write } = await team();
  write('one.json', { contents: [content('a')] });
  const named = ['--base-url', service.env.SVC_BASE_URL!];
  const diff = await svc('catalog', 'diff', 'one.json', ...named);
  expect(diff.stderr).toContain(`svc catalog put --if-version 0 one.json ${named.join(' ')}`);
  // With a byte order mark, as editors of some systems write it.
  write('mark.json', `\uFEFF${JSON.stringify({ contents: [content('a')] })}`);
  expect(await svc('catalog', 'put', 'mark.json')).toMatchObject({ code: 0 });
  write('two.json', { contents: [content('b', { title: 'B' })] });
  write('three.json', { contents: [content('b', { title: 'C' })] });
  expect((await svc('catalog', 'put', 'two.json')).code).toBe(0);
  expect((await svc('catalog', 'diff', 'three.json')).stderr).toContain('differ in 1 place\n');
});

it('checks a file without a service, and refuses what is no catalog', async () => {
  const { svc, write } = await team();
  write('good.json', { contents: [content('a')] });
  expect(await svc('catalog', 'validate', 'good.json')).toMatchObject({
    code: 0,
    stdout: 'the catalog is valid\n',
  });
  write('bad.json', { contents: [content('a', { format: 'poster' }), content('a')] });
  const bad = await svc('catalog', 'validate', 'bad.json', '--json');
  expect(bad.code).toBe(8);
  expect(JSON.parse(bad.stdout)).toMatchObject({
    valid: false,
    issues: [{ path: 'contents[0].format' }, { path: 'contents[1].contentId' }],
  });
  const put = await svc('catalog', 'put', 'bad.json');
  expect(put.code).toBe(5);
  expect(put.stderr).toContain('contents[0].format');
  write('list.json', []);
  write('cut.json', '{"contents": [');
  for (const file of ['list.json', 'cut.json', 'missing.json'])
    expect((await svc('catalog', 'put', file)).code, file).toBe(2);
});

it('validates everything at once: fields, names, texts, placeholders and dates', async () => {
  const { svc, write } = await team();
  write('bad.json', {
    contents: [
      content('a', { format: 'poster', colour: 1, size: 2 }),
      content('b', { activeFrom: '2030-01-02T00:00:00Z', activeUntil: '2030-01-01T00:00:00Z' }),
      content('b'),
      content('a', { activeUntil: '2020-01-01T00:00:00Z' }),
    ],
    templates: [
      { templateId: 't', channels: ['sms'], email: { subject: 's', text: 'x' } },
      {
        templateId: 'u',
        body: 'Hi {{user.nick}}, {{order id}} and {{open',
        activeUntil: '2020-01-01T00:00:00Z',
      },
      { templateId: 5, body: 'x' },
      { templateId: 'v', body: 'x', sms: { text: '{{user.mail}}' } },
    ],
    settings: { placements: [{ surface: 'home', weights: { none: 1 } }] },
  });
  const bad = await svc('catalog', 'validate', 'bad.json', '--json');
  expect(bad.code).toBe(8);
  const { issues, warnings } = JSON.parse(bad.stdout);
  const paths = (list: { path: string }[]) => list.map(({ path }) => path).sort();
  expect(paths(issues)).toEqual(
    [
      'contents[0].colour',
      'contents[0].format',
      'contents[0].size',
      'contents[1].activeUntil',
      'contents[2].contentId',
      'contents[3].contentId',
      'templates[0]',
      'templates[2].templateId',
      'templates[3].sms.text',
      'settings.placements[0].weights.none',
    ].sort(),
  );
  expect(paths(warnings)).toEqual(
    [
      'contents[3].activeUntil',
      'templates[1].activeUntil',
      'templates[1].body',
      'templates[1].body',
      'templates[1].body',
    ].sort(),
  );
  // A warning refuses nothing: what has ended may stay in a catalog.
  write('ended.json', { contents: [content('a', { activeUntil: '2020-01-01T00:00:00Z' })] });
  const ended = await svc('catalog', 'validate', 'ended.json');
  expect(ended).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^warning: contents\[0\]\.activeUntil is past.*\nthe catalog is valid\n$/),
  });
  expect((await svc('catalog', 'put', 'ended.json')).code).toBe(0);
});

it('refuses a file that is not UTF-8 or too large', async () => {
  const { cwd, svc } = await team();
  writeFileSync(join(cwd, 'latin.json'), Buffer.from('{"contents": [], "x": "caf\xe9"}', 'latin1'));
  writeFileSync(join(cwd, 'large.json'), ' '.repeat(8 * 1024 * 1024 + 1));
  let taken = 0;
  const endless = new Readable({
    read() {
      taken += 65_536;
      this.push(' '.repeat(65_536));
    },
  });
  expect(await runSvc(['catalog', 'validate', '-'], { cwd, stdin: endless })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('larger than 8 MiB'),
  });
  expect(taken).toBeLessThan(9 * 1024 * 1024);
  expect(await svc('catalog', 'put', 'latin.json')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not UTF-8'),
  });
  expect(await svc('catalog', 'validate', 'large.json')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('larger than 8 MiB'),
  });
});

it('shows what contents earned, the model, and the timeline of a user', async () => {
  const { service, svc } = await team();
  const hashId = await knownUser(service);
  const decisionId = await tap(service, hashId);
  const served = async () => {
    const { items } = JSON.parse((await svc('contents', 'list', '--json')).stdout);
    return items.find((item: { served: number }) => item.served > 0)?.id;
  };
  await expect.poll(served).toBeTypeOf('string');
  const id = await served();
  const list = await svc('contents', 'list');
  expect(list.stdout).toMatch(
    /^CONTENT\tCATEGORY\tSTATUS\tSERVED\tREWARDED\tRATE\t95 % INTERVAL\tDISMISSED$/m,
  );
  expect(list.stdout).toMatch(/100\.0 %\t20\.7 % – 100\.0 %/);
  expect((await svc('contents', 'get', id)).stdout).toContain('1 rewarded');
  expect((await svc('contents', 'get', 'none')).code).toBe(5);
  const unused = JSON.parse((await svc('contents', 'list', '--json')).stdout).items.find(
    (item: { served: number }) => item.served === 0,
  );
  expect((await svc('contents', 'get', unused.id)).stdout).toMatch(/^rate +0 served, 0 rewarded$/m);
  const model = await svc('model');
  expect(model.stdout).toMatch(/^learned\t1\t1\t100\.0 %/m);
  expect(model.stdout).toMatch(/^EXPERT\tKNOWS\tROWS\tEVIDENCE\tDECIDES$/m);
  expect(model.stdout.match(/\tyes$/gm)).toHaveLength(1);
  const timeline = await svc('users', 'timeline', '--hash-id', hashId);
  expect(timeline.code, timeline.stderr).toBe(0);
  expect(timeline.stdout).toMatch(new RegExp(`\\tdecision\\t${decisionId}\\t`));
  expect(timeline.stdout).toContain('clicked (message ');
  const some = await svc('users', 'timeline', '--hash-id', hashId, '--kind', 'outcome', '--json');
  expect(JSON.parse(some.stdout).items.map(({ kind }: { kind: string }) => kind)).toEqual(['outcome']);
});
