import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { PostgresStore } from '../../../../../src/service/platform/store/postgres/store.ts';
import { settings } from '../../../../../src/service/platform/store/settings.ts';
import { ConstraintViolation } from '../../../../../src/service/platform/store/store.ts';
import { postgresDatabase } from '../../../../support/postgres/database.ts';

it('a COPY that fails, before or while it reads its data, leaves the connection as it was', async () => {
  const store = await PostgresStore.open(await postgresDatabase(), systemClock);
  onTestFinished(() => store.close());
  const load = (table: string, columns: readonly string[], lines: string) =>
    store.write(async ({ sql }) => sql.load!(table, columns, 'w', lines));
  const refused = load('setting', ['name', 'value'], 'a\t1\na\t2\n');
  await expect(refused).rejects.toThrow(ConstraintViolation);
  await expect(load('no_such_table', ['a'], 'a\n'.repeat(100_000))).rejects.toThrow('no_such_table');
  const before = store.connections();
  await load('setting', ['name', 'value'], 'a\t1\n');
  expect(await store.read((tx) => settings.get(tx, 'a'))).toBe(1);
  // The connections are used again.
  expect(store.connections()).toEqual(before);
});
