import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { json, misfit, startVendor, type Vendor, type VendorRequest } from './vendor.ts';

const ANY = /^[\s\S]+$/;
const isJson = ({ headers }: VendorRequest) =>
  headers['content-type'] === 'application/json' ? undefined : 'Content-Type is not application/json';

/** POST /2010-04-01/Accounts/{Sid}/Messages.json (www.twilio.com/docs/messaging/api/message-resource). */
export function startTwilio(
  account = { sid: 'AC0123456789abcdef', token: 'twilio auth token' },
): Promise<Vendor> {
  const documented = ['To', 'From', 'Body', 'StatusCallback'];
  let count = 0;
  return startVendor(
    ({ method, path, headers, body }) => {
      if (method !== 'POST' || path !== `/2010-04-01/Accounts/${account.sid}/Messages.json`)
        return 'no such resource';
      if (
        headers.authorization !== `Basic ${Buffer.from(`${account.sid}:${account.token}`).toString('base64')}`
      )
        return 'wrong account';
      if (headers['content-type'] !== 'application/x-www-form-urlencoded') return 'not a form';
      const form = new URLSearchParams(body);
      const unknown = [...form.keys()].find((name) => !documented.includes(name));
      if (unknown) return `${unknown} is not documented`;
      if (!/^\+[1-9]\d{1,14}$/.test(form.get('To') ?? '')) return 'To is not in E.164 form';
      if (!form.get('From') || !form.get('Body')) return 'From or Body is missing';
      if (form.get('Body')!.length > 1600) return 'Body is too long';
      const callback = form.get('StatusCallback');
      return callback === null || URL.canParse(callback) ? undefined : 'StatusCallback is not a URL';
    },
    ({ body }) => {
      const form = new URLSearchParams(body);
      return json(201, {
        account_sid: account.sid,
        body: form.get('Body'),
        direction: 'outbound-api',
        error_code: null,
        error_message: null,
        sid: `SM${String(++count).padStart(32, '0')}`,
        status: 'queued',
        to: form.get('To'),
      });
    },
  );
}

/** POST /{version}/{Phone-Number-ID}/messages (developers.facebook.com, WhatsApp Cloud API, template messages). */
export function startWhatsApp(token = 'EAAJB', phoneNumberId = '106540352242922'): Promise<Vendor> {
  let count = 0;
  const shape = {
    messaging_product: /^whatsapp$/,
    'recipient_type?': /^individual$/,
    to: /^\+?\d{5,15}$/,
    type: /^template$/,
    template: {
      name: /^[a-z0-9_]{1,512}$/,
      language: { code: /^[a-z]{2,3}(_[A-Z]{2})?$/ },
      'components?': [{ type: /^body$/, parameters: [{ type: /^text$/, text: ANY }] }],
    },
    'biz_opaque_callback_data?': /^.{1,512}$/,
  } as const;
  return startVendor(
    (request) => {
      if (request.method !== 'POST' || request.path !== `/v23.0/${phoneNumberId}/messages`)
        return 'no such resource';
      if (request.headers.authorization !== `Bearer ${token}`) return 'wrong token';
      return isJson(request) ?? misfit(JSON.parse(request.body), shape);
    },
    ({ body }) => {
      const { to } = JSON.parse(body);
      return json(200, {
        messaging_product: 'whatsapp',
        contacts: [{ input: to, wa_id: to.replace('+', '') }],
        messages: [{ id: `wamid.${++count}`, message_status: 'accepted' }],
      });
    },
  );
}

/** POST /v3/mail/send (www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send). */
export function startSendGrid(apiKey = 'SG.key'): Promise<Vendor> {
  let count = 0;
  const email = /^[^\s@]+@[^\s@]+$/;
  const shape = {
    personalizations: [
      { to: [{ email, 'name?': ANY }], 'subject?': ANY, 'custom_args?': { notificationId: ANY } },
    ],
    from: { email, 'name?': ANY },
    'subject?': ANY,
    content: [{ type: /^text\/(plain|html)$/, value: ANY }],
  } as const;
  return startVendor(
    (request) => {
      if (request.method !== 'POST' || request.path !== '/v3/mail/send') return 'no such resource';
      if (request.headers.authorization !== `Bearer ${apiKey}`) return 'wrong key';
      const fault = isJson(request) ?? misfit(JSON.parse(request.body), shape);
      if (fault) return fault;
      const types = JSON.parse(request.body).content.map(({ type }: { type: string }) => type);
      return types.indexOf('text/plain') > 0 ? 'text/plain must come first' : undefined;
    },
    () => ({ status: 202, headers: { 'X-Message-Id': `sg-${++count}` } }),
  );
}

export interface Fcm extends Vendor {
  /** The requests to the token endpoint. */
  readonly tokenRequests: VendorRequest[];
  /** What the token endpoint answers next instead of a token. */
  readonly tokenAnswers: { status: number; headers?: Record<string, string>; body?: string }[];
  /** The JSON key of the service account. */
  readonly serviceAccount: string;
}

/**
 * POST /v1/projects/{project}/messages:send (firebase.google.com/docs/reference/fcm/rest) and the token endpoint of
 * Google (developers.google.com/identity/protocols/oauth2/service-account).
 */
export async function startFcm(project = 'myproject-b5ae1'): Promise<Fcm> {
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const scope = 'https://www.googleapis.com/auth/firebase.messaging';
  const issuer = `svc@${project}.iam.gserviceaccount.com`;
  const tokenAnswers: Fcm['tokenAnswers'] = [];
  const tokenRequests: VendorRequest[] = [];
  const tokens = await startVendor(
    ({ method, path, headers, body }) => {
      if (method !== 'POST' || path !== '/token') return 'no such resource';
      if (headers['content-type'] !== 'application/x-www-form-urlencoded') return 'not a form';
      const form = new URLSearchParams(body);
      if ([...form.keys()].join() !== 'grant_type,assertion') return 'other fields than documented';
      if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return 'wrong grant type';
      const [header, claims, signature] = form.get('assertion')!.split('.');
      const decoded = JSON.parse(Buffer.from(claims!, 'base64url').toString());
      const fault = misfit(JSON.parse(Buffer.from(header!, 'base64url').toString()), {
        alg: /^RS256$/,
        typ: /^JWT$/,
        'kid?': ANY,
      });
      if (fault) return fault;
      if (decoded.iss !== issuer || decoded.scope !== scope || decoded.aud !== `${tokens.url}/token`)
        return `wrong claims: ${JSON.stringify(decoded)}`;
      if (decoded.exp - decoded.iat > 3600 || decoded.exp <= decoded.iat) return 'wrong times';
      const genuine = verify(
        'sha256',
        Buffer.from(`${header}.${claims}`),
        createPublicKey(keys.publicKey),
        Buffer.from(signature!, 'base64url'),
      );
      return genuine ? undefined : 'wrong signature';
    },
    (request) => {
      tokenRequests.push(request);
      return (
        tokenAnswers.shift() ??
        json(200, { access_token: `ya29.${tokenRequests.length}`, expires_in: 3600, token_type: 'Bearer' })
      );
    },
  );
  let count = 0;
  const vendor = await startVendor(
    (request) => {
      if (request.method !== 'POST' || request.path !== `/v1/projects/${project}/messages:send`)
        return 'no such resource';
      if (!/^Bearer ya29\.\d+$/.test(request.headers.authorization ?? '')) return 'wrong token';
      const { message, ...rest } = JSON.parse(request.body);
      const { data = {}, ...others } = message;
      const bad = Object.entries(data).find(([, value]) => typeof value !== 'string');
      if (bad) return `data.${bad[0]} is not a string`;
      return (
        isJson(request) ??
        misfit(
          { message: others, ...rest },
          { message: { token: ANY, notification: { 'title?': ANY, body: ANY } } },
        )
      );
    },
    () => json(200, { name: `projects/${project}/messages/0:${++count}` }),
  );
  const serviceAccount = JSON.stringify({
    type: 'service_account',
    project_id: project,
    private_key_id: 'key-1',
    private_key: keys.privateKey,
    client_email: issuer,
    token_uri: `${tokens.url}/token`,
  });
  return { ...vendor, tokenRequests, tokenAnswers, serviceAccount };
}

/** The documented error of FCM for a status and code. */
export const fcmError = (status: number, code: string, canonical = code) =>
  json(status, {
    error: {
      code: status,
      message: 'Requested entity was not found.',
      status: canonical,
      details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code }],
    },
  });
