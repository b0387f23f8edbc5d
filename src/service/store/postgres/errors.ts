import { ConstraintViolation, StoreUnavailable, StoreUnusable } from '../store.ts';

/** SQLSTATE of an error that the server itself reported; undefined for a connection that failed. */
export function sqlState(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return severity !== undefined && typeof code === 'string' ? code : undefined;
}

/** The transaction was the victim of a deadlock or of a conflict: run again it may succeed (class 40). */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** Connection lost (08), server shutting down (57P), transaction timed out (25P03, 25P04). */
const BROKEN = /^(08|57P|25P0[34])/;

/** True when the connection must be closed: the next one may reach a server that is well. */
export function isBroken(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return !(error instanceof TypeError || error instanceof RangeError);
  return BROKEN.test(state);
}

/** Data that no row may hold: classes 22 (a value out of its type's range, U+0000) and 23 (a constraint). */
const DATA = /^2[23]/;

/**
 * The server cannot store now: 08 connection, 40 conflict, 53 resources (disk full, too many connections), 54 program
 * limits, 55P03 lock held too long, 57 cancelled or shutting down, 58 and F0 input or output, 25006 and 25P03 a
 * standby or a transaction left lying, 0A000 a cached plan that a migration made stale.
 */
const UNAVAILABLE = /^(08|40|53|54|57|58|F0|55P03|25006|25P0[34]|0A000)/;

/** Turns an error of the driver or the server into the store's words (PostgreSQL manual, appendix A). */
export function translate(error: unknown, where: string): unknown {
  const state = sqlState(error);
  const message = error instanceof Error ? error.message : String(error);
  if (state === undefined)
    return isBroken(error) ? new StoreUnavailable(`${where}: ${message}`, error) : error;
  if (DATA.test(state)) return new ConstraintViolation(message, error);
  if (UNAVAILABLE.test(state)) return new StoreUnavailable(`${where}: ${message}`, error);
  return error;
}

/** The same for a connection that could not be made to a database that was open before: whatever the reason, it is away. */
export function translateConnecting(error: unknown, where: string): StoreUnavailable {
  const known = translate(error, where);
  return known instanceof StoreUnavailable
    ? known
    : new StoreUnavailable(`${where}: ${error instanceof Error ? error.message : String(error)}`, error);
}

/** The same while opening, where a wrong name, password or right needs a person. */
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
  if (state === '3D000') return 'make it with `createdb`, or name another --database';
  if (state === '42501')
    return 'the user must be allowed to create tables in it (it should own the database)';
  return undefined;
}
