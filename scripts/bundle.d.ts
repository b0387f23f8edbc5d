export function bundle(
  input: Record<string, string>,
  options: { dir: string; format: 'cjs' | 'esm'; external?: RegExp[]; minify?: boolean | object },
): Promise<string[]>;

/** Bundles the program into `dir`: main.cjs and its chunks. */
export function bundleProgram(dir: string): Promise<void>;

/** Bundles what integrators import into `dir`. Resolves with the paths of the bundled files. */
export function bundleLibrary(dir: string): Promise<string[]>;
