/** For PostgreSQL: svc_admit (004-postgres-limiter.ts) under another name, so that nodes can be told apart. */
const COUNT_REQUEST = `CREATE FUNCTION svc_count_request(p_workspace TEXT, p_group TEXT, p_limit BIGINT, p_window BIGINT,
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
    UPDATE admission a SET at_ms = svc_count_request.at_ms
      WHERE a.workspace_id = p_workspace AND a.group_name = p_group AND a.at_ms > svc_count_request.at_ms;
  END IF;
  DELETE FROM admission a
    WHERE a.workspace_id = p_workspace AND a.group_name = p_group AND a.at_ms <= svc_count_request.at_ms - p_window;
  GET DIAGNOSTICS v_gone = ROW_COUNT;
  counted := counted - v_gone;
  SELECT min(a.at_ms) INTO oldest FROM admission a
    WHERE a.workspace_id = p_workspace AND a.group_name = p_group;
  IF counted < p_limit THEN
    INSERT INTO admission (workspace_id, group_name, at_ms) VALUES (p_workspace, p_group, svc_count_request.at_ms);
  ELSE
    SELECT a.at_ms INTO blocking FROM admission a
      WHERE a.workspace_id = p_workspace AND a.group_name = p_group
      ORDER BY a.at_ms OFFSET counted - p_limit LIMIT 1;
  END IF;
  UPDATE admission_head h SET counted = svc_count_request.counted + CASE WHEN svc_count_request.counted < p_limit THEN 1 ELSE 0 END,
      newest = CASE WHEN svc_count_request.counted < p_limit THEN svc_count_request.at_ms ELSE least(h.newest, svc_count_request.at_ms) END
    WHERE h.workspace_id = p_workspace AND h.group_name = p_group;
  RETURN NEXT;
END
$svc$`;

/** A node of an earlier version calls this for each request with a limit. Class 57P: it answers 503. */
const REFUSE_OLD_NODES = `CREATE OR REPLACE FUNCTION svc_admit(p_workspace TEXT, p_group TEXT, p_limit BIGINT,
  p_window BIGINT, p_expected BIGINT, p_jump BIGINT, p_generation BIGINT)
RETURNS TABLE (unsure BOOLEAN, counted BIGINT, oldest BIGINT, blocking BIGINT, at_ms BIGINT, wall BIGINT,
  generation BIGINT)
LANGUAGE plpgsql AS $svc$
BEGIN
  RAISE EXCEPTION 'a newer version of svc has migrated the database: replace this node' USING ERRCODE = '57P03';
END
$svc$`;

export const limiter = [COUNT_REQUEST, REFUSE_OLD_NODES];
