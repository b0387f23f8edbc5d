import { Args, Flags, SvcCommand } from 'svc-cli/plugin';

/** `svc brief HASHID`: what the service would do next for a user. */
export default class Brief extends SvcCommand {
  static summary = 'Show the next best action for a user and the messages that wait for them';
  static description = 'Uses the profile, the environment and the flags like every command of svc.';
  static examples = [
    '<%= config.bin %> <%= command.id %> 3f1c… --profile local',
    '<%= config.bin %> <%= command.id %> 3f1c… --surface home --json',
  ];
  static args = { hashId: Args.string({ required: true, description: 'the user, by hashId' }) };
  static flags = { surface: Flags.string({ summary: 'name of the surface', default: 'home' }) };

  /** @param {import('svc-cli/plugin').Context} context */
  async run({ args, flags, out, connect, signal }) {
    const { client, profile, workspace } = await connect();
    const { hashId } = args;
    const context = { channel: 'in-app', surface: flags.surface };
    const decision = await client.call('decide', { body: { hashId, context }, signal });
    const waiting = await client.call('listMessages', { query: { hashId }, signal });
    const brief = {
      profile: profile ?? null,
      workspace,
      action: decision.body.action.contentId,
      messages: waiting.body.messages.length,
    };
    out.result(brief, () => `${brief.action ?? 'no action'}, ${brief.messages} messages waiting`);
  }
}
