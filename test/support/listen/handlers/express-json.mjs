// A common mistake: the JSON parser of express runs before the signature check.
import { createHmac } from 'node:crypto';
import express from 'express';

const app = express();
app.use(express.json());
app.post('/webhooks', (req, res) => {
  const expected = createHmac('sha256', process.env.SVC_WEBHOOK_SECRET)
    .update(JSON.stringify(req.body))
    .digest('hex');
  if (req.get('X-Service-Signature') !== expected) return res.status(401).end();
  res.json({ received: true });
});
const server = app.listen(process.env.PORT, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/webhooks`);
});
