import { diagnose, type Evidence } from '../../../src/features/listen/signature-diagnosis/diagnose.ts';

/** JSON of about the given size that is expensive to serialize in other forms. */
export const HOSTILE_BODIES: Record<string, (bytes: number) => string> = {
  'escapes of control characters': (bytes) => `"${'\\u0000'.repeat(bytes / 6 - 1)}"`,
  'escaped quotes': (bytes) => `"${'\\"'.repeat(bytes / 2 - 1)}"`,
  backslashes: (bytes) => `"${'\\\\'.repeat(bytes / 2 - 1)}"`,
  members: (bytes) => `{${Array.from({ length: bytes / 16 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
  'big integers': (bytes) =>
    `[${Array.from({ length: bytes / 18 }, (_, i) => `${9007199254740992n + BigInt(i)}`).join(',')}]`,
  'one integer': (bytes) => '9'.repeat(bytes),
  nesting: (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'nesting around many items': (bytes) => `${'['.repeat(30)}${'1,'.repeat(bytes / 2 - 40)}1${']'.repeat(30)}`,
};

/** Returns the evidence for a body with a wrong signature. */
export const unsignedEvidence = (body: string): Evidence => ({
  headers: { 'x-service-signature': '0'.repeat(64) },
  body: Buffer.from(body),
  secrets: [{ name: 'given', secret: 'a-secret-of-the-receiver-tests' }],
  others: [{ name: 'other', secret: 'another-secret' }],
});

/** Returns the CPU time in seconds for the diagnosis of a body that has no explanation. */
export function diagnosisSeconds(body: string): number {
  const start = process.cpuUsage();
  const { name } = diagnose(unsignedEvidence(body));
  if (name !== 'unknown') throw new Error(`a hostile body was diagnosed as ${name}`);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}
