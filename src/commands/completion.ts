import { type Context, SvcCommand } from '../cli/command/command.ts';
import { Args } from '../cli/flags/oclif.ts';

export default class Completion extends SvcCommand {
  static override summary = 'Print the completion script for bash, zsh or fish';
  static override description =
    `Completes commands, flags, the values of flags with a fixed set of values, profile names, and identifiers of webhooks,
notifications, deliveries and decisions, which are asked of the service at most every 30 seconds. The script calls svc,
so it stays valid when you update svc.

To enable completion permanently, run one of these commands and open a new shell:

    echo 'source <(svc completion bash)' >> ~/.bashrc
    echo 'source <(svc completion zsh)' >> ~/.zshrc
    svc completion fish > ~/.config/fish/completions/svc.fish`;
  static override examples = [
    'source <(<%= config.bin %> <%= command.id %> bash)',
    '<%= config.bin %> <%= command.id %> fish > ~/.config/fish/completions/svc.fish',
  ];
  static override exitCodes = [0, 1, 2] as const;
  static override args = {
    shell: Args.string({
      required: true,
      description: 'name of the shell',
      options: ['bash', 'zsh', 'fish'],
    }),
  };

  protected override async run({ args, out }: Context<typeof Completion>): Promise<void> {
    const { COMPLETION_SCRIPTS } = await import('../cli/completion/scripts.ts');
    out.raw(COMPLETION_SCRIPTS[args.shell as keyof typeof COMPLETION_SCRIPTS]);
  }
}
