/**
 * Makes a static website of the documentation with Eleventy: `npm run site [FOLDER]`, by default site/. It works from the
 * file system and without a network: its pages load nothing but one style sheet and the pictures of the docs.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import Eleventy from '@11ty/eleventy';
import { pagesInOrder } from './pages.js';

const root = join(import.meta.dirname, '..');
const out = resolve(process.argv[2] ?? join(root, 'site'));
const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'docs/index.md',
  ...pagesInOrder(root).map(({ file }) => `docs/${file}`),
];

/** Where a page is in the site. */
const addressOf = (page) => page.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');

const place = mkdtempSync(join(tmpdir(), 'svc-site-'));
/** Files of the project that pages link to; they are copied beside the pages. */
const linked = new Set(['scripts/site/style.css']);
try {
  for (const page of PAGES) {
    mkdirSync(dirname(join(place, page)), { recursive: true });
    cpSync(join(root, page), join(place, page));
  }
  cpSync(join(import.meta.dirname, 'site', 'page.11ty.cjs'), join(place, '_includes', 'page.11ty.cjs'));
  rmSync(out, { recursive: true, force: true });
  process.chdir(place);
  const eleventy = new Eleventy('.', out, {
    quietMode: true,
    config(config) {
      config.setUseGitIgnore(false);
      config.addGlobalData('layout', 'page.11ty.cjs');
      config.addGlobalData(
        'permalink',
        () =>
          ({ page }) =>
            addressOf(relative('.', page.inputPath)),
      );
      config.addGlobalData('eleventyComputed', {
        title: ({ page }) => /^# (.*)$/m.exec(readFileSync(page.inputPath, 'utf8'))[1].replace(/`/g, ''),
        base: ({ page }) => '../'.repeat(relative('.', page.inputPath).split('/').length - 1),
      });
      // The text of the docs is no template: `{{` stays.
      config.setTemplateFormats(['md']);
      config.amendLibrary('md', (markdown) => markdown.set({ html: true }).use(anchors).use(links));
    },
  });
  await eleventy.init();
  eleventy.eleventyConfig.config.markdownTemplateEngine = false;
  await eleventy.write();
  for (const file of linked) {
    const to = file === 'scripts/site/style.css' ? 'style.css' : file;
    cpSync(join(root, file), join(out, to));
  }
} finally {
  process.chdir(root);
  rmSync(place, { recursive: true, force: true });
}
console.log(`${PAGES.length} pages in ${out}`);

/** Gives headings the anchors that GitHub gives them. */
function anchors(markdown) {
  markdown.core.ruler.push('anchors', ({ tokens }) => {
    const used = new Map();
    tokens.forEach((token, i) => {
      if (token.type !== 'heading_open') return;
      const text = tokens[i + 1].children
        .filter(({ type }) => type === 'text' || type === 'code_inline')
        .map(({ content }) => content)
        .join('');
      const name = text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-');
      const times = used.get(name) ?? 0;
      used.set(name, times + 1);
      token.attrSet('id', times === 0 ? name : `${name}-${times}`);
    });
  });
}

/** Points links between pages to the pages of the site, and notes the files that others lead to. */
function links(markdown) {
  markdown.core.ruler.push('links', ({ tokens, env }) => {
    const folder = dirname(relative('.', env.page.inputPath));
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const name = { link_open: 'href', image: 'src' }[token.type];
      if (name === undefined) continue;
      const [path, anchor] = token.attrGet(name).split('#');
      if (path === '' || /^[a-z]+:/.test(path)) continue;
      const target = join(folder, decodeURI(path));
      if (PAGES.includes(target)) {
        const address = relative(folder, addressOf(target));
        token.attrSet(name, anchor === undefined ? address : `${address}#${anchor}`);
        continue;
      }
      if (!existsSync(join(root, target)) || !statSync(join(root, target)).isFile())
        throw new Error(`${env.page.inputPath} links to ${path}, which is no file`);
      linked.add(target);
    }
  });
}
