/**
 * The catalog of known mistakes: an explanation of each, and the line of code that fixes it in Node, Python and Go.
 * docs/webhooks-handlers.md lists the same names.
 */

/** The line of code that fixes a mistake. */
export interface Fix {
  readonly node: string;
  readonly python: string;
  readonly go: string;
}

interface Mistake {
  /** Returns the explanation as a sentence. `detail` describes the variant that matched. */
  readonly summary: (detail: string) => string;
  readonly fix: Fix;
}

/** A mistake with the variant that was found. */
export interface AppliedMistake {
  readonly name: MistakeName;
  readonly detail?: string;
}

// Each line fits in 80 columns with the name of its language.
const RAW_BODY: Fix = {
  node: "app.post(path, express.raw({ type: '*/*' }), handler)",
  python: 'body = request.get_data()  # http.server: rfile.read(length)',
  go: 'body, err := io.ReadAll(r.Body) // verify these bytes, then parse',
};
const HEX: Fix = {
  node: "createHmac('sha256', secret).update(body).digest('hex')",
  python: 'hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()',
  go: 'hex.EncodeToString(mac.Sum(nil)) // mac: hmac.New(sha256.New, key)',
};
const BARE: Fix = {
  node: "headers['x-service-signature'] = hex // 64 characters, no more",
  python: "headers['X-Service-Signature'] = digest  # 64 characters, no more",
  go: 'req.Header.Set("X-Service-Signature", digest) // 64 characters',
};
const KEY_TEXT: Fix = {
  node: "createHmac('sha256', secret) // the text of the secret, not decoded",
  python: 'hmac.new(secret.encode(), …)  # the text of the secret, not decoded',
  go: 'hmac.New(sha256.New, []byte(secret)) // its text, not decoded',
};
const KEY_TRIM: Fix = {
  node: "const secret = readFileSync(file, 'utf8').trim()",
  python: 'secret = open(file).read().strip()',
  go: 'secret := strings.TrimSpace(string(contents))',
};
const KEY_RIGHT: Fix = {
  node: "const secret = process.env.SVC_WEBHOOK_SECRET // this subscription's",
  python: "secret = os.environ['SVC_WEBHOOK_SECRET']  # this subscription's",
  go: 'secret := os.Getenv("SVC_WEBHOOK_SECRET") // of this subscription',
};
const READ_HEADER: Fix = {
  node: "const signature = req.headers['x-service-signature'] ?? ''",
  python: "signature = request.headers.get('X-Service-Signature', '')",
  go: 'signature := r.Header.Get("X-Service-Signature")',
};

const quoted = (text: string) => (text === '' ? 'an empty string' : `the string "${text}"`);

const catalog = <const T extends Record<string, Mistake>>(entries: T): Record<keyof T, Mistake> => entries;

export const MISTAKES = catalog({
  // ---- the body differs from the signed bytes
  're-serialised-body': {
    summary: (detail) => `The body was re-serialised: the signature matches the same JSON ${detail}.`,
    fix: RAW_BODY,
  },
  'pretty-printed-body': {
    summary: (detail) => `The body was pretty-printed: the signature matches the JSON ${detail}.`,
    fix: RAW_BODY,
  },
  'python-dict-text': {
    summary: (detail) =>
      `The body is Python's str() of a dict on one side ('…', True, None): the signature matches it ${detail}.`,
    fix: {
      node: RAW_BODY.node,
      python: 'body = json.dumps(event).encode()  # not str(event)',
      go: RAW_BODY.go,
    },
  },
  'trailing-newline': {
    summary: () => 'A trailing newline was added to the body or removed from it.',
    fix: {
      node: 'const body = Buffer.concat(chunks) // no line reading, no trim()',
      python: 'body = self.rfile.read(length)  # no readline(), no strip()',
      go: 'body, err := io.ReadAll(r.Body) // no bufio.Scanner, no TrimSpace',
    },
  },
  'line-endings': {
    summary: () => 'The line endings of the body were converted between CRLF and LF.',
    fix: RAW_BODY,
  },
  'byte-order-mark': {
    summary: () => 'A byte order mark was added to the body or removed from it.',
    fix: RAW_BODY,
  },
  'surrounding-space': { summary: () => 'White space around the body was trimmed.', fix: RAW_BODY },
  'decoded-as-text': {
    summary: () => 'The body was decoded to text and encoded again, and it is not valid UTF-8.',
    fix: RAW_BODY,
  },
  'decoded-as-latin1': { summary: () => 'The body was read or written as Latin-1.', fix: RAW_BODY },
  'encoded-as-utf16': {
    summary: () => 'The body was read or written as UTF-16, as Encoding.Unicode does in .NET.',
    fix: RAW_BODY,
  },
  'empty-body': {
    summary: () =>
      'The signature matches an empty body: the stream had been read before the signature was computed.',
    fix: RAW_BODY,
  },
  'stringified-object': {
    summary: (detail) => `A parsed body was turned into a string: the signature matches its text, ${detail}.`,
    fix: RAW_BODY,
  },
  'python-bytes-text': {
    summary: () => "The signature matches the text b'…': Python's str() was called on the bytes of the body.",
    fix: RAW_BODY,
  },
  'double-encoded': {
    summary: () => 'The signature matches the body as a JSON string: JSON.stringify was called on text.',
    fix: RAW_BODY,
  },
  'base64-body': {
    summary: () => 'The body is base64 on one side only; a gateway such as AWS Lambda encodes it.',
    fix: {
      node: "Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8')",
      python: "body = base64.b64decode(event['body'])  # if isBase64Encoded",
      go: 'base64.StdEncoding.DecodeString(event.Body) // if IsBase64Encoded',
    },
  },
  'compressed-body': {
    summary: () => 'The signature matches the decompressed body: the body was compressed after signing.',
    fix: {
      node: 'const body = gunzipSync(compressed) // if Content-Encoding is gzip',
      python: 'body = gzip.decompress(body)  # if Content-Encoding is gzip',
      go: 'r, err := gzip.NewReader(req.Body) // if Content-Encoding is gzip',
    },
  },
  'signed-with-timestamp': {
    summary: () =>
      'The signature covers a timestamp and the body, as in other services; X-Service-Signature covers only the body.',
    fix: HEX,
  },

  // ---- the digest has another format
  'sha256-prefix': {
    summary: () =>
      'The header has a "sha256=" prefix, as GitHub sends it; the value must be hex only. Remove the prefix where it is written.',
    fix: {
      node: "signature.replace(/^sha256=/, '')",
      python: "signature.removeprefix('sha256=')",
      go: 'strings.TrimPrefix(signature, "sha256=")',
    },
  },
  'other-prefix': {
    summary: (detail) => `The header has a "${detail}" prefix; the value must be hex only.`,
    fix: BARE,
  },
  'base64-signature': { summary: () => 'The signature is base64 instead of hex.', fix: HEX },
  'base64-of-hex': { summary: () => 'The signature is the base64 of the hex text.', fix: HEX },
  'upper-case-hex': {
    summary: () => 'The signature is upper-case hex; it must be lower case.',
    fix: {
      node: "const signature = mac.digest('hex') // no toUpperCase()",
      python: 'signature = mac.hexdigest()  # no upper()',
      go: 'signature := hex.EncodeToString(sum) // not fmt.Sprintf("%X", sum)',
    },
  },
  'separated-hex': { summary: () => 'The hex contains colons or spaces.', fix: BARE },
  'quoted-signature': { summary: () => 'The signature is in quotation marks.', fix: BARE },
  'repeated-header': { summary: () => 'The header has several values, one of which matches.', fix: BARE },
  'other-algorithm': {
    summary: (detail) => `The signature was computed with ${detail.toUpperCase()}; it must be HMAC-SHA-256.`,
    fix: HEX,
  },
  'plain-hash': {
    summary: () => 'The signature is a plain SHA-256 of the body, without the secret.',
    fix: HEX,
  },
  'concatenated-hash': {
    summary: () => 'The signature is a plain SHA-256 of the secret and the body concatenated, not an HMAC.',
    fix: HEX,
  },
  'swapped-arguments': { summary: () => 'The key and the message of the HMAC are swapped.', fix: HEX },

  // ---- the key differs
  'other-secret': {
    summary: (detail) => `The body is signed with another secret: that of ${detail}.`,
    fix: KEY_RIGHT,
  },
  'rotated-secret': {
    summary: () =>
      'The secret was rotated: webhook-signature matches this secret, but X-Service-Signature uses the other one.',
    fix: KEY_RIGHT,
  },
  'secret-decoded-from-hex': {
    summary: () => 'The secret was decoded from hex; the key must be the text of the secret.',
    fix: KEY_TEXT,
  },
  'secret-decoded-from-base64': {
    summary: () => 'The secret was decoded from base64; the key must be the text of the secret.',
    fix: KEY_TEXT,
  },
  'secret-without-prefix': {
    summary: () => 'The "whsec_" prefix of the secret was removed; the key must be the whole text.',
    fix: KEY_TEXT,
  },
  'secret-with-newline': {
    summary: () => 'The secret ends with a newline or space (`echo secret > file` adds a newline).',
    fix: KEY_TRIM,
  },
  'secret-trimmed': { summary: () => 'White space around the secret was trimmed.', fix: KEY_RIGHT },
  'secret-with-quotes': {
    summary: () => 'The secret was used with quotation marks around it.',
    fix: KEY_RIGHT,
  },
  'secret-without-quotes': {
    summary: () => 'The secret here has quotation marks around it; the secret used for signing does not.',
    fix: KEY_RIGHT,
  },
  'secret-in-other-case': {
    summary: () => 'The case of the secret was changed; secrets are case-sensitive.',
    fix: KEY_RIGHT,
  },
  'unset-secret': {
    summary: (detail) =>
      `The secret is not set where the signature is computed: the key is ${quoted(detail)}.`,
    fix: KEY_RIGHT,
  },

  // ---- the header
  'missing-header': {
    summary: () =>
      'There is no X-Service-Signature header: the request is not signed, or a proxy removes the header.',
    fix: READ_HEADER,
  },
  'wrong-header': {
    summary: (detail) =>
      `The signature is correct, but in the header ${detail} instead of X-Service-Signature.`,
    fix: READ_HEADER,
  },
  'not-a-signature': {
    summary: () => 'The header does not contain a digest: a signature is 64 characters of lower-case hex.',
    fix: HEX,
  },
});

export type MistakeName = keyof typeof MISTAKES;
