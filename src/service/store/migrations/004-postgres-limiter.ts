import type { Migration } from './migration.ts';

/**
 * The sliding window for several nodes: one call of `svc_admit` decides a request, under a lock on the row of its
 * workspace and group (store/postgres/limiter.ts). SQLite uses repositories/admissions.ts instead.
 */
export const postgresLimiter: Migration = {
  id: 4,
  up: (d) => (d.name === 'postgres' ? [ADMISSION_HEAD, LIMITER_TIME, FIRST_TIME, ADMIT] : []),
};

/** The number of timestamps of a log and the newest one. A request locks this row. */
const ADMISSION_HEAD = `CREATE TABLE admission_head (
  workspace_id TEXT NOT NULL,
  group_name TEXT NOT NULL,
  counted BIGINT NOT NULL,
  newest BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, group_name)
) WITH (fillfactor = 50)`;

/** Limiter time is the database's clock minus `skew`, the sum of its forward changes. */
const LIMITER_TIME = `CREATE TABLE limiter_time (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  skew BIGINT NOT NULL,
  generation BIGINT NOT NULL
)`;
const FIRST_TIME = 'INSERT INTO limiter_time (one, skew, generation) VALUES (1, 0, 0)';

/**
 * p_expected is the clock reading that the node predicts from its steady clock, or null if unknown; p_jump is the clock
 * change that the node has detected, to correct the skew. Both refer to a generation of the skew and are ignored for
 * another. If the clock differs by more than two seconds, the answer is `unsure`, and the node determines whether the
 * clock was changed or the call was late.
 */
const ADMIT = `CREATE FUNCTION svc_admit(p_workspace TEXT, p_group TEXT, p_limit BIGINT, p_window BIGINT,
  p_expected BIGINT, p_jump BIGINT, p_generation BIGINT)
RETURNS TABLE (unsure BOOLEAN, counted BIGINT, oldest BIGINT, blocking BIGINT, at_ms BIGINT, wall BIGINT,
  generation BIGINT)
LANGUAGE plpgsql AS $svc$
DECLARE
  v_now BIGINT;
  v_newest BIGINT;
  v_gone BIGINT;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  wall := floor(extract(epoch FROM clock_timestamp()) * 1000);
  IF p_jump IS NOT NULL THEN
    UPDATE limiter_time t SET skew = t.skew + p_jump, generation = t.generation + 1
      WHERE t.generation = p_generation;
  END IF;
  SELECT t.generation INTO generation FROM limiter_time t;
  unsure := generation = p_generation AND abs(wall - p_expected) > 2000;
  IF unsure THEN
    RETURN NEXT;
    RETURN;
  END IF;

  SELECT h.counted, h.newest INTO counted, v_newest FROM admission_head h
    WHERE h.workspace_id = p_workspace AND h.group_name = p_group FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO admission_head VALUES (p_workspace, p_group, 0, 0) ON CONFLICT DO NOTHING;
    SELECT h.counted, h.newest INTO counted, v_newest FROM admission_head h
      WHERE h.workspace_id = p_workspace AND h.group_name = p_group FOR UPDATE;
  END IF;
  v_now := floor(extract(epoch FROM clock_timestamp()) * 1000);
  SELECT v_now - t.skew INTO at_ms FROM limiter_time t;

  IF v_newest > at_ms THEN
    UPDATE admission a SET at_ms = svc_admit.at_ms
      WHERE a.workspace_id = p_workspace AND a.group_name = p_group AND a.at_ms > svc_admit.at_ms;
  END IF;
  DELETE FROM admission a
    WHERE a.workspace_id = p_workspace AND a.group_name = p_group AND a.at_ms <= svc_admit.at_ms - p_window;
  GET DIAGNOSTICS v_gone = ROW_COUNT;
  counted := counted - v_gone;
  SELECT min(a.at_ms) INTO oldest FROM admission a
    WHERE a.workspace_id = p_workspace AND a.group_name = p_group;
  IF counted < p_limit THEN
    INSERT INTO admission (workspace_id, group_name, at_ms) VALUES (p_workspace, p_group, svc_admit.at_ms);
  ELSE
    SELECT a.at_ms INTO blocking FROM admission a
      WHERE a.workspace_id = p_workspace AND a.group_name = p_group
      ORDER BY a.at_ms OFFSET counted - p_limit LIMIT 1;
  END IF;
  UPDATE admission_head h SET counted = svc_admit.counted + CASE WHEN svc_admit.counted < p_limit THEN 1 ELSE 0 END,
      newest = CASE WHEN svc_admit.counted < p_limit THEN svc_admit.at_ms ELSE least(h.newest, svc_admit.at_ms) END
    WHERE h.workspace_id = p_workspace AND h.group_name = p_group;
  RETURN NEXT;
END
$svc$`;
