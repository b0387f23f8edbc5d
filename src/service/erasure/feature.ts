import { ServiceError } from '../../contract/errors.ts';
import type { LearnedModels } from '../decisions/learned-models.ts';
import type { Feature } from '../http/endpoint.ts';
import { isHashId } from '../platform/crypto/hash-id.ts';
import type { Platform } from '../platform/platform.ts';
import type { RemovalByAge } from '../platform/store/retention/removals.ts';
import { startEraser } from './eraser.ts';
import { erasures } from './store.ts';

/** What is removed by age. */
export const erasureRemovals: readonly RemovalByAge[] = [erasures.purge];

/** Removes a user: what an index finds with the request, the rest by a worker. */
export function erasure(platform: Platform, models: LearnedModels, outboxFile: string): Feature {
  const { cipher } = platform;
  return {
    endpoints: {
      deleteUser: async ({ tx, workspace, params, requestId }) => {
        const hashId = params.hashId!;
        if (!isHashId(hashId)) throw new ServiceError('not_found', 'No user has this hashId.');
        await erasures.start(tx, cipher, workspace.id, hashId);
        return { body: { hashId, status: 'erasing', requestId } };
      },
    },
    // The identifier of the user is sealed, which the node cannot read without the data key.
    workers: cipher.usable ? [startEraser(platform, models, outboxFile)] : [],
  };
}
