import type { Migration } from './migration.ts';

/**
 * Distributes the tables of workspaces over the workers of Citus, where the database has that extension: the rows of a
 * workspace are on one worker. The tables of the whole store stay on the coordinator, and the versions of catalogs with
 * them, because one transaction writes them together with `workspace`. A later migration that adds a table of workspaces
 * ends with `DISTRIBUTE` again.
 */
export const distribution: Migration = {
  id: 27,
  up: (d) => (d.name === 'postgres' ? [DISTRIBUTE] : []),
};

/**
 * The limiter's function runs on the worker that has the workspace, and finds the limiter's time there. Decisions are
 * numbered by a sequence: the identity of a distributed column cannot be dropped when the table is divided.
 */
const DISTRIBUTE = `DO $svc$
DECLARE
  v_table TEXT;
  v_next BIGINT;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN
    RETURN;
  END IF;
  SET LOCAL citus.multi_shard_modify_mode = 'sequential';
  IF EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'decision'::regclass AND attname = 'seq' AND attidentity <> '') THEN
    v_next := nextval(pg_get_serial_sequence('decision', 'seq'));
    ALTER TABLE decision ALTER COLUMN seq DROP IDENTITY;
    EXECUTE format('CREATE SEQUENCE decision_number START %s', v_next);
    ALTER TABLE decision ALTER COLUMN seq SET DEFAULT nextval('decision_number');
  END IF;
  FOR v_table IN
    SELECT c.relname FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id'
      LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname NOT IN ('workspace', 'api_key', 'catalog_version') AND p.logicalrelid IS NULL
    ORDER BY c.relname <> 'due', c.relname
  LOOP
    IF v_table = 'due' THEN
      PERFORM create_distributed_table('due', 'workspace_id', colocate_with => 'none');
    ELSE
      PERFORM create_distributed_table(v_table, 'workspace_id', colocate_with => 'due');
    END IF;
  END LOOP;
  IF NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'limiter_time'::regclass) THEN
    PERFORM create_reference_table('limiter_time');
    PERFORM create_distributed_function('svc_count_request(text,text,bigint,bigint,bigint,bigint,bigint)',
      'p_workspace', colocate_with => 'due');
  END IF;
END
$svc$`;
