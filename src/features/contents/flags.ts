import { Flags } from '../../cli/flags/oclif.ts';

/** The width of the points of a series. */
export const stepFlag = Flags.string({
  summary: 'width of the points over time (default: hour for figures younger than 14 days, else day)',
  options: ['hour', 'day'],
});
