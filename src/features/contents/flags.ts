import { Flags } from '../../cli/flags/oclif.ts';

export const stepFlag = Flags.string({
  summary: 'width of the points over time; by the age of the figures if omitted',
  options: ['hour', 'day'],
});
