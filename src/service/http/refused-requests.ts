import { SERVICE_ERRORS, type ServiceError } from '../../contract/errors.ts';
import { DayCounts } from './last-day.ts';

/** Characters of a reason. */
const MOST_REASON = 200;

/** What is alike of requests that were refused. */
interface Refused {
  readonly endpoint: string;
  readonly status: number;
  /** Name of the error, such as `not_found`. */
  readonly error: string;
  /** What was wrong, as the sender was answered. */
  readonly reason: string;
}

/** Counts the requests of this process that were answered with 4xx, by endpoint and reason, for a day. */
export class RefusedRequests {
  readonly #counts: DayCounts<Refused>;

  /** `now` is in Unix ms. */
  constructor(now: () => number) {
    this.#counts = new DayCounts(now);
  }

  add(endpoint: string, { status, reason: error, message, details }: ServiceError): void {
    const [first] = details ?? [];
    const isGeneral = message === SERVICE_ERRORS[error].message;
    const reason = (isGeneral && first ? `${first.field} ${first.message}` : message).slice(0, MOST_REASON);
    this.#counts.add(JSON.stringify([endpoint, error, reason]), { endpoint, status, error, reason });
  }

  /** Those of the last day, the most first, and since when they are counted. */
  read(): ReturnType<DayCounts<Refused>['read']> {
    return this.#counts.read();
  }
}
