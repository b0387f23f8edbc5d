/** What a failed row means and the line that mends it. */
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
  node: 'a.length === b.length && timingSafeEqual(a, b) // else it throws',
  python: 'hmac.compare_digest(expected, given)  # takes any lengths',
  go: 'hmac.Equal(expected, given) // takes any lengths',
};
const ABSENT: Fix = {
  node: "const given = req.headers['x-service-signature'] ?? ''",
  python: "given = request.headers.get('X-Service-Signature', '')",
  go: 'given := r.Header.Get("X-Service-Signature") // "" if absent',
};
const IGNORE_KIND: Fix = {
  node: 'default: return res.status(200).end() // a kind not known here',
  python: "else: return '', 200  # a kind not known here",
  go: 'default: w.WriteHeader(http.StatusOK) // a kind not known here',
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

/** Says why a row failed. `status` null: no answer. */
export function adviceFor({ name, expects }: Case, status: number | null, error: string | undefined): Advice {
  if (status === null) {
    return name === 'slow'
      ? { why: `no answer: ${error}`, fix: READ_ALL }
      : { why: `no answer: ${error}; answer first and work after that` };
  }
  if (expects === 'refused') return notRefused(name, status);
  if (status >= 500) {
    return {
      why: `it failed (${status}); its own log says why. A body that a JSON parser has replaced by an object does this`,
      fix: MISTAKES['re-serialised-body'].fix,
    };
  }
  if (name === 'unknown kind')
    return { why: 'a kind it does not know is retried for days', fix: IGNORE_KIND };
  if (status === 413 || name === 'large') return { why: 'it refuses a body of this size', fix: SIZE };
  if (name === 'slow') return { why: 'it does not wait for the whole body', fix: READ_ALL };
  if (name === 'repeated delivery')
    return { why: 'a retry must be answered as the first time, or it is retried again' };
  if (name === 'out of order') return { why: 'an older delivery must be taken too: retries arrive late' };
  if (status >= 300 && status < 400) return { why: 'a redirect is not followed: give its target as the URL' };
  if (status === 404 || status === 405) return { why: 'no handler takes POST at this path: check the URL' };
  return {
    why: 'it refuses a delivery that is signed right: does it have the same secret? It reads it when it starts',
  };
}

function notRefused(name: string, status: number): Advice {
  if (status >= 200 && status < 300) {
    return { why: 'it takes a delivery that it must refuse with 401', fix: REFUSE };
  }
  if (status >= 500) {
    return {
      why: `it fails (${status}) where it must answer 401`,
      fix: name === 'missing signature' ? ABSENT : LENGTHS,
    };
  }
  return { why: `the specification has 401 here, not ${status}`, fix: REFUSE };
}
