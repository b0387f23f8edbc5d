/**
 * The sliding window for several nodes, on PostgreSQL: one call of `svc_count_request` decides a request, under a lock on
 * the row of its workspace and group (limits/postgres-limiter.ts). SQLite uses limits/admissions.ts instead.
 */

/** The number of timestamps of a log, the newest and the oldest; null if the log is empty. A request locks this row. */
const ADMISSION_HEAD = `CREATE TABLE admission_head (
  workspace_id TEXT NOT NULL,
  group_name TEXT NOT NULL,
  counted BIGINT NOT NULL,
  newest BIGINT NOT NULL,
  oldest BIGINT,
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
 * clock was changed or the call was late. The head of a log says whether an entry has left the window, so that entries
 * are read and deleted only then. A refused request writes nothing but the lock. Clock and generation are read under that
 * lock, together with the skew that they belong to.
 */
const COUNT_REQUEST = `CREATE FUNCTION svc_count_request(p_workspace TEXT, p_group TEXT, p_limit BIGINT,
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
    INSERT INTO admission_head VALUES (p_workspace, p_group, 0, 0, NULL) ON CONFLICT DO NOTHING;
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

export const limiter = [ADMISSION_HEAD, LIMITER_TIME, FIRST_TIME, COUNT_REQUEST];
