import * as z from 'zod/mini';
import { EventDeletion } from '../contract/schemas.ts';

/** What `svc events delete` prints. */
export const EventsDeleted = z.pick(EventDeletion, {
  deletionId: true,
  dryRun: true,
  status: true,
  events: true,
  sample: true,
});
