import { ConstraintViolation, StoreUnavailable, StoreUnusable } from '../store.ts';

/** SQLSTATE of an error reported by the server; undefined for a connection failure. */
function sqlState(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return severity !== undefined && typeof code === 'string' ? code : undefined;
}

/** The connection failed before the transaction began. Nothing was stored, so that it may be tried again. */
export class NotBegun extends StoreUnavailable {}

/** The end of the name of the check that all rows of a table are from before a time. */
export const SPAN_CHECK = '_span';

/** True for a deadlock or serialization failure (class 40), after which a retry may succeed. */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/**
 * Protocol violation, server shutting down, transaction timeout. The other states of class 08 are of connections that the
 * server has, as from the coordinator of Citus to a worker.
 */
const BROKEN = /^(08P01|57P|25P0[34])/;

/** True if the connection must be closed: the next one may reach a working server. */
export function isBroken(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return !(error instanceof TypeError || error instanceof RangeError);
  return BROKEN.test(state);
}

/** Invalid data: classes 22 (a value out of its type's range, U+0000) and 23 (a constraint). */
const DATA = /^2[23]/;

/**
 * The server cannot store at the moment: 08 connection, 40 conflict, 53 resources (disk full, too many connections), 54
 * program limits, 55P03 lock timeout, 57 cancelled or shutting down, 58 and F0 input/output, 25006 a standby, 25P03 and
 * 25P04 transaction timeouts, 0A000 a cached plan that a migration invalidated.
 */
const UNAVAILABLE = /^(08|40|53|54|57|58|F0|55P03|25006|25P0[34]|0A000)/;

/** Translates an error of the driver or the server into an error of the store (PostgreSQL manual, appendix A). */
export function translate(error: unknown, where: string): unknown {
  const state = sqlState(error);
  const message = error instanceof Error ? error.message : String(error);
  if (state === undefined)
    return isBroken(error) ? new StoreUnavailable(`${where}: ${message}`, error) : error;
  // A row from after the check of a table that is being divided (partitions.ts): the database's clock is far ahead.
  const { constraint } = error as { constraint?: unknown };
  if (typeof constraint === 'string' && constraint.endsWith(SPAN_CHECK))
    return new StoreUnavailable(`${where}: ${message}`, error);
  if (DATA.test(state)) return new ConstraintViolation(message, error);
  if (UNAVAILABLE.test(state)) return new StoreUnavailable(`${where}: ${message}`, error);
  return error;
}

/** Translates a failure to connect to a database that was open before: it is unavailable, for whatever reason. */
export function translateConnecting(error: unknown, where: string): StoreUnavailable {
  const translated = translate(error, where);
  return translated instanceof StoreUnavailable
    ? translated
    : new StoreUnavailable(`${where}: ${error instanceof Error ? error.message : String(error)}`, error);
}

/** Translates a failure to open the database. Adds advice for a wrong name, password or missing privilege. */
export function translateOpening(error: unknown, where: string): unknown {
  if (error instanceof StoreUnusable) return error;
  const message = error instanceof Error ? error.message : String(error);
  const advice = adviceOn(sqlState(error instanceof StoreUnavailable ? error.cause : error) ?? '');
  if (advice) return new StoreUnusable(`${where}: ${message}: ${advice}`, error);
  return translate(error, where);
}

function adviceOn(state: string): string | undefined {
  if (state.startsWith('28')) {
    return 'check the user, and the password in the URL, SVC_DATABASE_URL or PGPASSWORD';
  }
  if (state === '3D000') return 'create it with `createdb`, or pass another --database';
  if (state === '42501')
    return 'the user must be allowed to create tables in it (make it the owner of the database)';
  return undefined;
}
