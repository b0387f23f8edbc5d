/**
 * Distributes the tables of workspaces over the workers of Citus, where the database has that extension: the rows of a
 * workspace are on one worker. The tables of the whole store stay on the coordinator, and the versions of catalogs with
 * them, because one transaction writes them together with `workspace`. The limiter's function runs on the worker that has
 * the workspace, and finds the limiter's time there. A migration that adds a table of workspaces ends with this again.
 */
export const distribution = `DO $svc$
DECLARE
  v_table TEXT;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN
    RETURN;
  END IF;
  SET LOCAL citus.multi_shard_modify_mode = 'sequential';
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
