import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import type { ServiceOptions } from '../../../src/service/start.ts';
import { type RawService, rawService } from '../peers/raw-service.ts';

/** Starts a service for a test. */
export async function open(options: Partial<ServiceOptions> = {}): Promise<RawService> {
  const { service, release } = await rawService(options);
  onTestFinished(release);
  return service;
}

export const DECIDE = '/v1/decisioning/decide';
export const decide = (service: RawService, hashId: string, rest: object = {}) =>
  service.send<AnswerOf<'decide'>>('POST', DECIDE, {
    hashId,
    context: { channel: 'in-app', surface: 'home', locale: 'en-GB' },
    ...rest,
  });
export const waiting = async (service: RawService, hashId: string) =>
  (await service.send<AnswerOf<'listMessages'>>('GET', `/v1/messages?hashId=${hashId}`)).body.messages;
export const outcome = (service: RawService, decisionId: string, type: string) =>
  service.send('POST', `/v1/messages/${decisionId}/outcomes`, { type });
export const log = async (service: RawService) =>
  (await service.send<AnswerOf<'listDecisions'>>('GET', '/v1/decisions')).body.decisions;
export const identify = async (service: RawService, user: object) =>
  (await service.send<AnswerOf<'ingestUsers'>>('POST', '/v1/users', { users: [user] })).body.users[0]!.hashId;
export const content = (contentId: string, rest: object = {}) => ({
  contentId,
  category: 'any',
  format: 'card',
  title: contentId,
  body: 'Body',
  ...rest,
});
export const catalogFile = (service: { folder: string } | string, contents: object[], settings?: object) => {
  const file = join(typeof service === 'string' ? service : service.folder, 'catalog.json');
  writeFileSync(file, JSON.stringify({ contents, ...(settings && { settings }) }));
  return file;
};
