import type { IndexDefinition, Migration } from './migration.ts';

/** Migration 16 meant to create this index, under a name that another one had. */
const OF_USER: IndexDefinition = {
  name: 'notification_by_user',
  on: 'notification (workspace_id, hash_id, created_at)',
  unique: false,
};

/** What keeps a service fast that has many users and requests: an index, and a limiter with fewer statements. */
export const grownData: Migration = {
  id: 22,
  indexes: () => [OF_USER],
  up: (d) => [
    `CREATE INDEX IF NOT EXISTS ${OF_USER.name} ON ${OF_USER.on}`,
    'DROP INDEX notification_of_user',
    ...(d.name === 'postgres' ? [OLDEST, COUNT_REQUEST] : []),
  ],
};

/** The oldest timestamp of a log; null if the log is empty or the timestamp is not known. */
const OLDEST = 'ALTER TABLE admission_head ADD COLUMN oldest BIGINT';

/**
 * svc_count_request (008-by-workspace/limiter.ts) with the same signature and answers. The head of a log says whether an
 * entry has left the window, so that entries are read and deleted only then. A refused request writes nothing but the
 * lock. Clock and generation are read under that lock, together with the skew that they belong to.
 */
const COUNT_REQUEST = `CREATE OR REPLACE FUNCTION svc_count_request(p_workspace TEXT, p_group TEXT, p_limit BIGINT,
  p_window BIGINT, p_expected BIGINT, p_jump BIGINT, p_generation BIGINT)
RETURNS TABLE (unsure BOOLEAN, counted BIGINT, oldest BIGINT, blocking BIGINT, at_ms BIGINT, wall BIGINT,
  generation BIGINT)
LANGUAGE plpgsql AS $svc$
DECLARE
  v_start BIGINT := floor(extract(epoch FROM clock_timestamp()) * 1000);
  v_newest BIGINT;
  v_before BIGINT;
  v_gone BIGINT := 0;
  v_moved BOOLEAN := false;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  IF p_jump IS NOT NULL THEN
    UPDATE limiter_time t SET skew = t.skew + p_jump, generation = t.generation + 1
      WHERE t.generation = p_generation;
  END IF;

  SELECT h.counted, h.newest, h.oldest INTO counted, v_newest, oldest FROM admission_head h
    WHERE h.workspace_id = p_workspace AND h.group_name = p_group FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO admission_head VALUES (p_workspace, p_group, 0, 0) ON CONFLICT DO NOTHING;
    SELECT h.counted, h.newest, h.oldest INTO counted, v_newest, oldest FROM admission_head h
      WHERE h.workspace_id = p_workspace AND h.group_name = p_group FOR UPDATE;
  END IF;
  wall := floor(extract(epoch FROM clock_timestamp()) * 1000);
  SELECT t.generation, wall - t.skew INTO generation, at_ms FROM limiter_time t;
  unsure := generation = p_generation AND abs(v_start - p_expected) > 2000;
  IF unsure THEN
    RETURN NEXT;
    RETURN;
  END IF;

  v_before := oldest;
  IF v_newest > at_ms THEN
    v_moved := true;
    UPDATE admission a SET at_ms = svc_count_request.at_ms
      WHERE a.workspace_id = p_workspace AND a.group_name = p_group AND a.at_ms > svc_count_request.at_ms;
    oldest := CASE WHEN oldest > at_ms THEN at_ms ELSE oldest END;
  END IF;
  IF counted > 0 AND (oldest IS NULL OR oldest <= at_ms - p_window) THEN
    DELETE FROM admission a
      WHERE a.workspace_id = p_workspace AND a.group_name = p_group AND a.at_ms <= svc_count_request.at_ms - p_window;
    GET DIAGNOSTICS v_gone = ROW_COUNT;
    counted := counted - v_gone;
    SELECT min(a.at_ms) INTO oldest FROM admission a
      WHERE a.workspace_id = p_workspace AND a.group_name = p_group;
  END IF;

  IF counted < p_limit THEN
    INSERT INTO admission (workspace_id, group_name, at_ms) VALUES (p_workspace, p_group, svc_count_request.at_ms);
    UPDATE admission_head h SET counted = svc_count_request.counted + 1, newest = svc_count_request.at_ms,
        oldest = COALESCE(svc_count_request.oldest, svc_count_request.at_ms)
      WHERE h.workspace_id = p_workspace AND h.group_name = p_group;
  ELSE
    IF counted = p_limit THEN
      blocking := oldest;
    ELSE
      SELECT a.at_ms INTO blocking FROM admission a
        WHERE a.workspace_id = p_workspace AND a.group_name = p_group
        ORDER BY a.at_ms OFFSET counted - p_limit LIMIT 1;
    END IF;
    IF v_gone > 0 OR v_moved OR oldest IS DISTINCT FROM v_before THEN
      UPDATE admission_head h SET counted = svc_count_request.counted, oldest = svc_count_request.oldest,
          newest = least(h.newest, svc_count_request.at_ms)
        WHERE h.workspace_id = p_workspace AND h.group_name = p_group;
    END IF;
  END IF;
  RETURN NEXT;
END
$svc$`;
