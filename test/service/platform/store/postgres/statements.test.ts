import { expect, test } from 'vitest';
import { isBroken } from '../../../../../src/service/platform/store/postgres/errors.ts';
import { statementOf } from '../../../../../src/service/platform/store/postgres/statements.ts';

test.each([
  [
    'compared rows of a subquery',
    'DELETE FROM due WHERE (workspace_id, lane) IN (SELECT workspace_id, lane FROM due WHERE workspace_id = ? AND lane = ?)',
    'DELETE FROM due WHERE workspace_id = $1 AND (workspace_id, lane) IN (SELECT workspace_id, lane FROM due WHERE workspace_id = $1 AND lane = $2)',
  ],
  [
    'rows that were taken before',
    'WITH taken AS MATERIALIZED (SELECT workspace_id, key FROM idempotency WHERE expires_at <= ? AND workspace_id = ? LIMIT ?) DELETE FROM idempotency WHERE (workspace_id, key) IN (SELECT * FROM taken)',
    'WITH taken AS MATERIALIZED (SELECT workspace_id, key FROM idempotency WHERE expires_at <= $1 AND workspace_id = $2 LIMIT $3) DELETE FROM idempotency WHERE workspace_id = $2 AND (workspace_id, key) IN (SELECT * FROM taken)',
  ],
  [
    'a range of rows',
    'SELECT at_ms FROM recent_event WHERE (workspace_id, at_ms) >= (?, ?) AND (workspace_id, at_ms) <= (?, ?)',
    'SELECT at_ms FROM recent_event WHERE workspace_id = $1 AND (workspace_id, at_ms) >= ($1, $2) AND (workspace_id, at_ms) <= ($3, $4)',
  ],
  [
    'two tables',
    'SELECT 1 FROM delivery d JOIN webhook w ON w.workspace_id = d.workspace_id WHERE d.workspace_id = ?',
    'SELECT 1 FROM delivery d JOIN webhook w ON w.workspace_id = d.workspace_id AND w.workspace_id = $1 WHERE d.workspace_id = $1',
  ],
  [
    'nothing but a column of a table of the whole store',
    'SELECT key_id FROM api_key k JOIN workspace w ON w.workspace_id = k.workspace_id WHERE k.key_hash = ?',
    'SELECT key_id FROM api_key k JOIN workspace w ON w.workspace_id = k.workspace_id WHERE k.key_hash = $1',
  ],
])('a distributed database is told the workspace of each table: %s', (_, sql, text) => {
  expect(statementOf(sql, true).text).toBe(text);
  expect(statementOf(sql).text).not.toContain('workspace_id = $1 AND (');
});

test.each([
  ['DELETE FROM delivery WHERE due_at < ? AND workspace_id = ?', 1],
  ['INSERT INTO due (workspace_id, lane, due_at, due_id) VALUES (?, ?, ?, ?)', 0],
  ['SELECT 1 FROM due WHERE lane = ? AND (workspace_id, due_at) >= (?, ?)', 1],
  ['SELECT workspace_id FROM due WHERE lane = ?', undefined],
  ['SELECT region FROM workspace WHERE workspace_id = ?', undefined],
  ['SELECT 1', undefined],
])('a distributed database has the rows of %s on the worker of the workspace at %s', (sql, workspace) => {
  expect(statementOf(sql, true).workspace).toBe(workspace);
  expect(statementOf(sql).workspace).toBeUndefined();
});

test('a lost connection of the coordinator to a worker leaves that to the coordinator as it is', () => {
  const reported = (code: string) => Object.assign(new Error('reported'), { code, severity: 'ERROR' });
  expect(isBroken(reported('08006'))).toBe(false);
  expect(isBroken(reported('57P01'))).toBe(true);
  expect(isBroken(Object.assign(new Error('Connection terminated'), { code: 'ECONNRESET' }))).toBe(true);
});
