/** Explains a failed row of a conformance run, and gives the line of code that fixes it. */
import { type Fix, MISTAKES } from '../signature-diagnosis/mistakes.ts';
import type { Case } from './cases.ts';

export interface Advice {
  readonly why: string;
  readonly fix?: Fix;
}

const REFUSE: Fix = {
  node: 'if (!verified) return res.status(401).end()',
  python: "if not hmac.compare_digest(expected, given): return '', 401",
  go: 'if !hmac.Equal(expected, given) { w.WriteHeader(401); return }',
};
const LENGTHS: Fix = {
  node: 'a.length === b.length && timingSafeEqual(a, b) // throws otherwise',
  python: 'hmac.compare_digest(expected, given)  # accepts any lengths',
  go: 'hmac.Equal(expected, given) // accepts any lengths',
};
const ABSENT: Fix = {
  node: "const given = req.headers['x-service-signature'] ?? ''",
  python: "given = request.headers.get('X-Service-Signature', '')",
  go: 'given := r.Header.Get("X-Service-Signature") // "" if absent',
};
const IGNORE_KIND: Fix = {
  node: 'default: return res.status(200).end() // unknown kind',
  python: "else: return '', 200  # unknown kind",
  go: 'default: w.WriteHeader(http.StatusOK) // unknown kind',
};
const SIZE: Fix = {
  node: "express.raw({ type: '*/*', limit: '1mb' })",
  python: "app.config['MAX_CONTENT_LENGTH'] = 1024 * 1024",
  go: 'r.Body = http.MaxBytesReader(w, r.Body, 1<<20)',
};
const READ_ALL: Fix = {
  node: 'for await (const chunk of req) chunks.push(chunk) // to the end',
  python: "body = self.rfile.read(int(self.headers['Content-Length']))",
  go: 'body, err := io.ReadAll(r.Body) // to the end, not one Read',
};

/**
 * Explains why a row failed.
 * @param status null where the handler did not answer
 */
export function adviceFor({ name, expects }: Case, status: number | null, error: string | undefined): Advice {
  if (status === null) {
    return name === 'slow'
      ? { why: `no answer: ${error}`, fix: READ_ALL }
      : { why: `no answer: ${error}. Answer first, then process the delivery` };
  }
  if (expects === 'refused') return notRefused(name, status);
  if (status >= 500) {
    return {
      why: `the handler failed (${status}); see its log. A common cause is a JSON parser that replaces the raw body`,
      fix: MISTAKES['re-serialised-body'].fix,
    };
  }
  if (name === 'unknown kind')
    return {
      why: 'the handler refuses an unknown kind, which the service then retries for days',
      fix: IGNORE_KIND,
    };
  if (status === 413 || name === 'large')
    return { why: 'the handler refuses a body of this size', fix: SIZE };
  if (name === 'slow') return { why: 'the handler does not wait for the whole body', fix: READ_ALL };
  if (name === 'repeated delivery')
    return {
      why: 'a repeated delivery must get the same answer as the first one, or the service retries it again',
    };
  if (name === 'out of order') return { why: 'an older delivery must be accepted too: retries arrive late' };
  if (status >= 300 && status < 400)
    return { why: 'the service does not follow redirects: use the target of the redirect as the URL' };
  if (status === 404 || status === 405) return { why: 'no handler accepts POST at this path: check the URL' };
  return {
    why: 'the handler refuses a correctly signed delivery: check that it uses the same secret, and restart it after a change',
  };
}

function notRefused(name: string, status: number): Advice {
  if (status >= 200 && status < 300) {
    return { why: 'the handler accepts a delivery that it must refuse with 401', fix: REFUSE };
  }
  if (status >= 500) {
    return {
      why: `the handler fails (${status}) where it must answer 401`,
      fix: name === 'missing signature' ? ABSENT : LENGTHS,
    };
  }
  return { why: `the specification requires 401 here, not ${status}`, fix: REFUSE };
}
