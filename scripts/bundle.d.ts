export function bundle(
  input: Record<string, string>,
  options: { dir: string; format: 'cjs' | 'esm'; external?: RegExp[]; minify?: boolean },
): Promise<void>;
