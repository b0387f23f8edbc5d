import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { assertStdinUsedOnce, inputBytes } from '../../cli/input/input-bytes.ts';
import { HEADERS } from '../../contract/headers.ts';
import { diagnosisText } from '../../features/listen/diagnosis-view.ts';
import { diagnose } from '../../features/listen/signature-diagnosis/diagnose.ts';
import { verifySignature } from '../../features/listen/verify-signature.ts';
import { secretFlags, secretsToVerify } from '../../features/webhooks/known-secrets.ts';

export default class WebhooksVerify extends SvcCommand {
  static override summary = 'Verify the signature of a body, and explain a mismatch';
  static override description =
    `Exit 0 if the signature matches, 8 if it does not. The bytes are not changed. A mismatch is compared with the known
mistakes: a re-serialised body, a trailing newline, base64 instead of hex, another secret and many more.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> delivery.json --signature 757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    'curl -s https://example.com/raw | <%= config.bin %> <%= command.id %> - --signature "$SIGNATURE" --secret-file secret.txt',
  ];
  static override exitCodes = [0, 1, 2, 4, 8] as const;
  static override args = {
    file: Args.string({ description: 'file with the body; standard input if omitted or -' }),
  };
  static override flags = {
    ...secretFlags,
    signature: Flags.string({
      summary: 'value of the X-Service-Signature header',
      required: true,
      helpValue: 'HEX',
    }),
  };

  protected override async run({
    args,
    flags,
    out,
    world,
    paths,
  }: Context<typeof WebhooksVerify>): Promise<void> {
    assertStdinUsedOnce(args.file, flags);
    const { expected: secrets, others } = await secretsToVerify(flags, world, paths);
    const body = await inputBytes(args.file, world);
    const headers = { [HEADERS.signature]: flags.signature };
    const verdict = verifySignature(headers, body, secrets);
    if (verdict.verified) {
      out.result(
        { verified: true, secret: verdict.by.name },
        () => `verified with the secret of ${verdict.by.name}`,
      );
      return;
    }
    const diagnosis = diagnose({ headers, body, secrets, others });
    out.result({ verified: false, reason: verdict.reason, diagnosis }, () =>
      diagnosisText(diagnosis, out.isTerminal ? world.stdout.columns : undefined),
    );
    throw new SvcError('signature_mismatch', `the signature does not match: ${diagnosis.name}`, {
      hint:
        diagnosis.name === 'unknown'
          ? 'check that the body, the signature and the secret belong to the same delivery; see docs/webhooks-handlers.md'
          : 'apply the fix above; docs/webhooks-handlers.md explains each mistake',
    });
  }
}
