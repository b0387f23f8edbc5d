import { ServiceError } from '../../contract/errors.ts';
import type { Catalogs } from '../catalog/follow.ts';
import type { LearnedModels } from '../decisions/learned-models.ts';
import type { Feature } from '../http/endpoint.ts';
import { isHashId } from '../platform/crypto/hash-id.ts';
import type { Platform } from '../platform/platform.ts';
import type { RemovalByAge } from '../platform/store/retention/removals.ts';
import { deletionEndpoints } from './deletion-endpoints.ts';
import { deletions } from './deletions.ts';
import { startEraser } from './eraser.ts';
import { startEventDeleter } from './event-deleter.ts';
import { erasures } from './store.ts';
import { userDeletions } from './user-deletions.ts';

/** What is removed by age. */
export const erasureRemovals: readonly RemovalByAge[] = [
  erasures.purge,
  deletions.purge,
  userDeletions.purge,
];

/** Removes a user: what an index finds with the request, the rest by a worker. Deletes selected events by another one. */
export function erasure(
  platform: Platform,
  { catalogs, models, outboxFile }: { catalogs: Catalogs; models: LearnedModels; outboxFile: string },
): Feature {
  const { cipher } = platform;
  return {
    endpoints: {
      ...deletionEndpoints(cipher),
      deleteUser: async ({ tx, workspace, params, requestId }) => {
        const hashId = params.hashId!;
        if (!isHashId(hashId)) throw new ServiceError('not_found', 'No user has this hashId.');
        await erasures.start(tx, cipher, workspace.id, hashId);
        return { body: { hashId, status: 'erasing', requestId } };
      },
    },
    // The identifier of the user is sealed, which the node cannot read without the data key.
    workers: cipher.usable
      ? [startEraser(platform, models, outboxFile), startEventDeleter(platform, catalogs)]
      : [],
  };
}
