import { describe, expect, it } from 'vitest';
import { RECEIPTS_PATH } from '../../../src/service/notifications/receipts/routes.ts';
import { UNSUBSCRIBE_ROUTE } from '../../../src/service/notifications/unsubscribe.ts';
import { DOCUMENT, headersOf, KEYLESS, responseOf } from '../../support/openapi/document.ts';
import { startTestService } from '../../support/process/service.ts';

const METHODS = ['get', 'post'] as const;
const PATHS = [RECEIPTS_PATH, UNSUBSCRIBE_ROUTE];

describe('the operations without a key', () => {
  it('are in the document, each without security', () => {
    for (const path of PATHS)
      for (const method of METHODS)
        expect(DOCUMENT.paths[path]?.[method], `${method} ${path}`).toMatchObject({
          operationId: expect.any(String),
          security: [],
          'x-beyond-specification': true,
        });
    expect([...KEYLESS.keys()].sort()).toEqual([
      'confirmReceipts',
      'showUnsubscribe',
      'takeReceipt',
      'unsubscribe',
    ]);
  });

  it('answer what the document says', async () => {
    const service = await startTestService();
    const path = (template: string, params: Record<string, string>) =>
      template.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'none');
    for (const template of PATHS)
      for (const method of METHODS) {
        const operation = DOCUMENT.paths[template]![method]!;
        const target = path(template, { workspace: service.workspace });
        const answer = await fetch(service.url + target, { method });
        const response = responseOf(operation, answer.status);
        const [type = ''] = answer.headers.get('content-type')!.split(';');
        expect(Object.keys(response.content!)).toContain(type);
        for (const [name, { required }] of headersOf(response))
          if (required) expect(answer.headers.has(name), `${method} ${template} ${name}`).toBe(true);
        const refused = template === RECEIPTS_PATH ? (method === 'get' ? 403 : 401) : 404;
        expect(answer.status).toBe(refused);
      }
  });

  it('take the one click of RFC 8058, and of providers what they send', () => {
    const { requestBody } = KEYLESS.get('unsubscribe')!;
    expect(requestBody!.content['application/x-www-form-urlencoded']!.schema).toMatchObject({
      required: ['List-Unsubscribe'],
      properties: { 'List-Unsubscribe': { const: 'One-Click' } },
    });
    expect(Object.keys(KEYLESS.get('takeReceipt')!.requestBody!.content)).toEqual([
      'application/json',
      'application/x-www-form-urlencoded',
    ]);
  });
});
