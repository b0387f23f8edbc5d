/** Bundles the page of the console: one page, one style sheet, one script and a short one that runs before it, at most 110 KB gzipped. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const MOST_GZIPPED = 110 * 1024;

/**
 * Bundles src/console-page into `dir`: index.html and assets/. Throws if that is larger than the page may be. Resolves with the
 * paths of the bundled files.
 * @param {string} dir
 */
export async function bundleConsole(dir) {
  const src = join(import.meta.dirname, '..', 'src', 'console-page');
  const script = await scriptOf(join(src, 'main.tsx'), 'esm');
  const start = await scriptOf(join(src, 'start.ts'), 'iife');
  const files = {
    'assets/console.js': script.code,
    'assets/start.js': start.code,
    'assets/console.css': styles(src),
  };
  const page = readFileSync(join(src, 'index.html'), 'utf8');
  write(dir, { 'index.html': page, ...files });
  return script.moduleIds;
}

async function scriptOf(input, format) {
  const build = await rolldown({
    input,
    platform: 'browser',
    treeshake: true,
    plugins: [editedParts],
    // Elements with their children as arguments are 1 KB less of the page than with a member for them.
    transform: {
      jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' },
      inject: { h: ['preact', 'h'], Fragment: ['preact', 'Fragment'] },
    },
  });
  // The annotations are for bundlers, and 2 KB of the page.
  const comments = { annotation: false };
  const minify = { compress: { target: 'es2022' }, mangle: true, codegen: true };
  const { output } = await build.generate({ format, minify, comments, codeSplitting: false });
  await build.close();
  return output.find((part) => part.type === 'chunk');
}

/** Of the schema of the catalog, the page needs what it edits, and of an operation not whether it may be repeated. */
const editedParts = {
  name: 'edited-parts',
  transform: {
    order: 'pre',
    handler(code, id) {
      if (id.endsWith('operations.gen.ts')) return code.replace(/^ +repeat: .*$/gm, '');
      if (!id.endsWith('catalog.schema.json')) return undefined;
      const { contents, templates, goals } = JSON.parse(code).properties;
      return JSON.stringify({ properties: formOf({ contents, templates, goals }) });
    },
  },
};

/** Members of a schema that forms are made from (src/console-page/views/catalog/schema.ts), and the length from which a text has several lines. */
const FORM = ['type', 'enum', 'description', 'format', 'required', 'anyOf', 'items', 'properties'];
const LINE = 1000;

/** Schemas by name, with what forms need of them alone. */
const formOf = (schemas) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, partOf(schema)]));

function partOf(schema) {
  const { anyOf, items, properties, additionalProperties: named, maxLength } = schema;
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => FORM.includes(key))),
    ...(anyOf && { anyOf: anyOf.map(partOf) }),
    ...(items && { items: partOf(items) }),
    ...(properties && { properties: formOf(properties) }),
    ...(typeof named === 'object' && { additionalProperties: partOf(named) }),
    ...(maxLength > LINE && { maxLength }),
  };
}

/** Every style sheet of the page in the order of its path, without comments and needless white space. */
function styles(src) {
  const own = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.css'))
    .sort()
    .map((file) => join(src, file));
  return own
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/:\s/g, ':')
    .replace(/\s*([{};,])\s*/g, '$1')
    .replaceAll(';}', '}');
}

function write(dir, files) {
  mkdirSync(join(dir, 'assets'), { recursive: true });
  let size = 0;
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(dir, name), text);
    size += gzipSync(text).length;
  }
  if (size > MOST_GZIPPED)
    throw new Error(`the console has ${size} bytes gzipped, more than ${MOST_GZIPPED}`);
}
