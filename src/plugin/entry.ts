/** What a plugin imports from `svc-cli/plugin`; types/plugin.d.ts declares and documents it. */
export { SvcCommand } from '../cli/command/command.ts';
export { SvcError } from '../cli/errors/svc-error.ts';
export { Args, Flags } from '../cli/flags/oclif.ts';
