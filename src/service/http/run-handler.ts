import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Endpoint, EndpointName } from '../../contract/endpoints.ts';
import { HEADERS } from '../../contract/headers.ts';
import type { Platform } from '../platform/platform.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import type { Tx } from '../platform/store/store.ts';
import { assertOpen } from './access/authenticate.ts';
import type { AnswerHeaders } from './answer-headers.ts';
import { checkedBody } from './checked-request.ts';
import type { Call, Descriptor, StreamHandler } from './endpoint.ts';
import { type Answer, writeOnce } from './idempotent-write.ts';
import type { RequestRecord } from './record-requests.ts';
import { respond, respondByTag, toAnswer } from './respond.ts';

/** A request that was admitted, with its parameters checked. */
export type AdmittedRequest = Omit<Parameters<StreamHandler>[0], 'lastEventId' | 'keyHash' | 'socket'>;

/** Runs the handler in a transaction: a read, or a write that is idempotent under the request's key. */
export async function runHandler(
  c: Context<{ Bindings: HttpBindings }>,
  { store, precedence }: Pick<Platform, 'store' | 'precedence'>,
  {
    name,
    endpoint,
    served,
  }: { readonly name: EndpointName; readonly endpoint: Endpoint; readonly served: Descriptor },
  request: AdmittedRequest,
  headers: AnswerHeaders,
  record: RequestRecord,
  prepared: Promise<unknown> | undefined,
): Promise<Response> {
  const { workspace, onlyUser, client } = request;
  const { measured } = record;
  const most = client && endpoint.clientBytes;
  const { raw, body } = await checkedBody(c.env.incoming, endpoint, served, most).catch((error) => {
    served.refused?.(workspace.id);
    throw error;
  });
  await (prepared ?? served.prepare?.(workspace.id, body as Call['body'], request.params));
  const callIn = (tx: Tx) =>
    ({
      ...request,
      tx,
      body,
      get now() {
        return tx.now;
      },
    }) as unknown as Call;
  const work = async (tx: Tx) => {
    measured?.workBegan();
    const reply = await served.handle(callIn(tx));
    measured?.workEnded();
    const { error, beforeCommit, afterCommit } = reply;
    record.refused = error && { workspaceId: workspace.id, error };
    const answer = error
      ? { status: error.status, body: JSON.stringify(error.body(request.requestId)) }
      : toAnswer(reply, endpoint);
    return { answer, refused: error !== undefined, beforeCommit, afterCommit };
  };
  const writing = async (tx: Tx) => (await pipeline([assertOpen(tx, workspace.id), work(tx)]))[1];
  if (served.priority === 'page') await precedence.yieldToRequests();
  if (endpoint.storesNothing || (endpoint.method === 'GET' && !endpoint.marks))
    return respond((await store.read(work)).answer, headers);

  const idempotencyKey = c.req.header(HEADERS.idempotencyKey);
  const respondTagged = (answer: Answer) =>
    endpoint.tagged ? respondByTag(c.req.header('if-none-match'), answer, headers) : respond(answer, headers);
  if (served.unmarked && idempotencyKey === undefined) {
    const reply = await served.unmarked({ ...request, body } as unknown as Call, (work) =>
      store.read((tx) => work(callIn(tx))),
    );
    if (reply) return respondTagged(toAnswer(reply, endpoint));
  }
  const shared = served.concurrencyKeys?.({ params: request.params, body: body as Call['body'] }) ?? [];
  const keys = idempotencyKey === undefined ? shared : [...shared, { key: `key ${idempotencyKey}` }];
  const written = await writeOnce(
    store,
    {
      workspaceId: workspace.id,
      endpoint: name,
      path: c.req.path,
      body: raw,
      onlyUser,
      idempotencyKey,
      bulk: served.priority === 'bulk',
      pipelinedBegin: served.pipelinedBegin === true && idempotencyKey === undefined,
      concurrencyKeys: keys.map((limit) => ({ ...limit, key: `${workspace.id} ${limit.key}` })),
    },
    writing,
  );
  if (written.replayed) headers.set(HEADERS.idempotentReplayed, 'true');
  return respondTagged(written.answer);
}
