import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Endpoint, EndpointName } from '../../../contract/endpoints.ts';
import { ServiceError } from '../../../contract/errors.ts';
import { FEATURES, HEADERS } from '../../../contract/headers.ts';
import type { Platform } from '../../platform/platform.ts';
import { StoreUnavailable } from '../../platform/store/store.ts';
import type { AnswerHeaders } from '../answer-headers.ts';
import type { Call } from '../endpoint.ts';
import type { RequestRecord } from '../record-requests.ts';
import type { Admit } from './admit.ts';
import { type Authenticate, workspaceOf } from './authenticate.ts';
import type { AdmitClient } from './client-access.ts';
import { regionOf } from './region.ts';

export interface AdmissionParts {
  readonly platform: Pick<Platform, 'store' | 'clock'>;
  readonly admit: Admit;
  /**
   * The workspace of all requests, without a key and uncounted: for an application that is never listened for, which
   * answers the console in this process (RunningService.answer). Undefined for requests from the network.
   */
  readonly inside?: string | undefined;
  readonly authenticate: Authenticate;
  readonly admitClient: AdmitClient;
  /** Is told of each request that is over a limit. */
  readonly turnedAway: (workspaceId: string, keyId: string, endpoint: EndpointName) => void;
  /** The region of this service; undefined if it serves all workspaces alike. */
  readonly region: string | undefined;
}

/** Sets the headers that describe the service to holders of a key of a workspace. */
function describe({ mode }: Call['workspace'], headers: AnswerHeaders): void {
  headers.set(HEADERS.mode, mode);
  headers.set(HEADERS.features, FEATURES);
}

/** Authenticates a request, applies the region's delay and counts the request. Sets the headers of each step. */
export async function admitted(
  c: Context<{ Bindings: HttpBindings }>,
  parts: AdmissionParts,
  { name, endpoint }: { readonly name: EndpointName; readonly endpoint: Endpoint },
  record: RequestRecord,
  headers: AnswerHeaders,
): Promise<Pick<Call, 'workspace' | 'onlyUser' | 'client'>> {
  const { inside } = parts;
  const { store, clock } = parts.platform;
  if (inside !== undefined) {
    const workspace = await workspaceOf(store, inside);
    if (!workspace) throw new ServiceError('forbidden');
    describe(workspace, headers);
    return { workspace, onlyUser: undefined, client: undefined };
  }
  // Also with a 401: a key sent to the wrong region is unknown there, and the response should name that region.
  if (parts.region) headers.set(HEADERS.region, parts.region);
  const holder = await parts.authenticate(c.req);
  const { workspace } = holder;
  describe(workspace, headers);
  // Before it takes a connection, which a worker that is silent would keep from others.
  if (store.workers?.isUnreachable(workspace.id))
    throw new StoreUnavailable(`the worker of ${workspace.id} does not answer`, undefined);
  const region = regionOf(workspace, parts.region);
  if (region.header) headers.set(HEADERS.region, region.header);
  if (region.detourMs > 0) await clock.sleep(region.detourMs);
  try {
    if (holder.kind === 'publishable') {
      const onlyUser = await parts.admitClient(c.req, c.env.incoming, holder, endpoint, headers);
      return { workspace, onlyUser, client: holder.clients };
    }
    record.countedAt = await parts.admit(workspace.id, endpoint.group, headers);
    return { workspace, onlyUser: undefined, client: undefined };
  } catch (error) {
    if (error instanceof ServiceError && error.status === 429)
      parts.turnedAway(workspace.id, holder.keyId, name);
    throw error;
  }
}
