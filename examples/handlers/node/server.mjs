// A webhook handler with Express. Run npm install, then:
// export SVC_WEBHOOK_SECRET="$(cat secret.txt)"; node server.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import express from 'express';

const secret = process.env.SVC_WEBHOOK_SECRET;
if (!secret) throw new Error('set SVC_WEBHOOK_SECRET to the signing secret of the subscription');

/** True when `signature` is the lower-case hex HMAC-SHA-256 of the raw body. */
function verify(body, signature) {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const given = Buffer.from(signature ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const handled = new Set(); // use your database: a delivery can arrive more than once
const app = express();

// express.raw, not express.json: the signature covers the raw bytes.
app.post('/webhooks', express.raw({ type: '*/*', limit: '1mb' }), (req, res) => {
  const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
  if (!verify(body, req.get('X-Service-Signature'))) return res.status(401).end();
  const event = JSON.parse(body);
  if (!handled.has(event.deliveryId)) {
    handled.add(event.deliveryId);
    console.log(event.type, event.contentId, event.hashId); // your work here; ignore unknown kinds
  }
  res.json({ received: true });
});

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/webhooks`);
});
