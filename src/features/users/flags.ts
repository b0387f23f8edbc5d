import { Flags } from '../../cli/flags/oclif.ts';

export const hashIdFlag = Flags.string({
  summary: 'hashed identifier of the user, as `svc users import` prints it',
  required: true,
  helpValue: 'H',
});
