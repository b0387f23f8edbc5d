import * as z from 'zod/mini';
import { EventDeletion, UserDeletion } from '../contract/schemas.ts';

/** What `svc events delete` prints. */
export const EventsDeleted = z.pick(EventDeletion, {
  deletionId: true,
  dryRun: true,
  status: true,
  events: true,
  sample: true,
});

const UsersDeleted = z.pick(UserDeletion, {
  deletionId: true,
  dryRun: true,
  status: true,
  users: true,
  kept: true,
  sample: true,
});

/** What `svc imports undo` prints, by what the run sent. */
export const RunUndone = z.union([EventsDeleted, UsersDeleted]);
