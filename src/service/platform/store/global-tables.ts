import { MARKER_TABLE } from './ownership.ts';

/**
 * The tables of the whole store. Every other table belongs to workspaces: the keys of its rows begin with workspace_id,
 * and every statement on it names the workspace (test/service/platform/store/by-workspace.test.ts, test/house/statements.test.ts).
 */
export const GLOBAL_TABLES: readonly string[] = [
  'workspace',
  'api_key',
  'setting',
  'schema_version',
  // The processes that serve from the store.
  'node',
  // On PostgreSQL, the time of the rate limiter.
  'limiter_time',
  MARKER_TABLE,
];

/** The index by which workers find the workspaces with due work: the only one across workspaces. */
export const LOOK_INDEX = 'due_look';
