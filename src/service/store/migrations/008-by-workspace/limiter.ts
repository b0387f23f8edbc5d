/**
 * For PostgreSQL: limiter time belongs to a window. `skew` is the sum of the forward changes of the clock that its nodes
 * have noticed, `generation` their number, so that a window needs no row but its own.
 */
const WINDOW = [
  'ALTER TABLE admission_head ADD COLUMN skew BIGINT NOT NULL DEFAULT 0, ADD COLUMN generation BIGINT NOT NULL DEFAULT 0',
  'UPDATE admission_head SET skew = t.skew, generation = t.generation FROM limiter_time t',
  'DROP TABLE limiter_time',
];

/**
 * Like svc_admit, with the time of the window. p_expected is the clock reading that the node predicts from its steady
 * clock, or null if unknown; p_jump is the clock change that the node has detected. Both refer to a generation of the
 * window and are ignored for another. If the clock differs by more than two seconds, the answer is `unsure`.
 */
const COUNT = `CREATE FUNCTION svc_count_request(p_workspace TEXT, p_group TEXT, p_limit BIGINT, p_window BIGINT,
  p_expected BIGINT, p_jump BIGINT, p_generation BIGINT)
RETURNS TABLE (unsure BOOLEAN, counted BIGINT, oldest BIGINT, blocking BIGINT, at_ms BIGINT, wall BIGINT,
  generation BIGINT)
LANGUAGE plpgsql AS $svc$
DECLARE
  v_newest BIGINT;
  v_skew BIGINT;
  v_gone BIGINT;
  v_admitted INTEGER;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  wall := floor(extract(epoch FROM clock_timestamp()) * 1000);
  SELECT h.counted, h.newest, h.skew, h.generation INTO counted, v_newest, v_skew, generation FROM admission_head h
    WHERE h.workspace_id = p_workspace AND h.group_name = p_group FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO admission_head (workspace_id, group_name, counted, newest) VALUES (p_workspace, p_group, 0, 0)
      ON CONFLICT DO NOTHING;
    SELECT h.counted, h.newest, h.skew, h.generation INTO counted, v_newest, v_skew, generation FROM admission_head h
      WHERE h.workspace_id = p_workspace AND h.group_name = p_group FOR UPDATE;
  END IF;
  IF generation = p_generation AND p_jump IS NOT NULL THEN
    v_skew := v_skew + p_jump;
    generation := generation + 1;
  END IF;
  unsure := generation = p_generation AND abs(wall - p_expected) > 2000;
  IF unsure THEN
    RETURN NEXT;
    RETURN;
  END IF;
  at_ms := floor(extract(epoch FROM clock_timestamp()) * 1000) - v_skew;

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
  v_admitted := CASE WHEN counted < p_limit THEN 1 ELSE 0 END;
  IF v_admitted = 1 THEN
    INSERT INTO admission (workspace_id, group_name, at_ms)
      VALUES (p_workspace, p_group, svc_count_request.at_ms);
  ELSE
    SELECT a.at_ms INTO blocking FROM admission a
      WHERE a.workspace_id = p_workspace AND a.group_name = p_group
      ORDER BY a.at_ms OFFSET counted - p_limit LIMIT 1;
  END IF;
  UPDATE admission_head h SET counted = svc_count_request.counted + v_admitted,
      newest = CASE WHEN v_admitted = 1 THEN svc_count_request.at_ms ELSE least(h.newest, svc_count_request.at_ms) END,
      skew = v_skew, generation = svc_count_request.generation
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

export const limiter = [...WINDOW, COUNT, REFUSE_OLD_NODES];
