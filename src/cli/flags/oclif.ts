/**
 * The parts of oclif that every command needs. Loading all of oclif takes as long as starting Node, so commands import
 * `Args` and `Flags` from here; Biome enforces it.
 */
export * as Args from '@oclif/core/args';
export * as Flags from '@oclif/core/flags';
export { parse } from '@oclif/core/parser';
