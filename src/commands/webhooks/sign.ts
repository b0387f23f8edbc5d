import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { assertStdinUsedOnce, inputBytes } from '../../cli/input/input-bytes.ts';
import { signBody } from '../../contract/signature.ts';
import { requireSecret, secretFlags } from '../../features/webhooks/known-secrets.ts';

export default class WebhooksSign extends SvcCommand {
  static override summary = 'Print the signature of a body';
  static override description =
    `Prints the value of X-Service-Signature: the lower-case hex HMAC-SHA-256 of the unchanged bytes.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> delivery.json',
    'printf \'%s\' "$BODY" | <%= config.bin %> <%= command.id %> --secret-file secret.txt',
  ];
  static override exitCodes = [0, 1, 2, 4] as const;
  static override args = {
    file: Args.string({ description: 'file with the body; standard input if omitted or -' }),
  };
  static override flags = secretFlags;

  protected override async run({
    args,
    flags,
    out,
    world,
    paths,
  }: Context<typeof WebhooksSign>): Promise<void> {
    assertStdinUsedOnce(args.file, flags);
    const secret = await requireSecret(flags, world, paths);
    const signature = signBody(await inputBytes(args.file, world), secret);
    out.result({ signature }, () => signature);
  }
}
