// node pack.mjs OUT: builds the dashboard and writes OUT, a C++ unit with all its files, for the server to send.
//
// The pages are the same for every configuration of the server, so they are built once, into build/dashboard, and again
// only when something here has changed. Each file is in the binary as it is, and packed where that makes it smaller.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const built = join(here, '..', 'build', 'dashboard');
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

function filesOf(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesOf(path) : [path]));
}

function digest(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

async function buildPages() {
  const sources = ['src', 'public'].flatMap((folder) => filesOf(join(here, folder)));
  for (const name of ['index.html', 'package-lock.json', 'vite.config.ts', 'svelte.config.js', 'tsconfig.json'])
    sources.push(join(here, name));
  const inputs = digest(...sources.flatMap((path) => [relative(here, path), readFileSync(path)]));
  const stamp = join(built, 'inputs.sha256');
  const pages = join(built, 'pages');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) return pages;
  const { build } = await import('vite');
  await build({ root: here, logLevel: 'warn', build: { outDir: pages, emptyOutDir: true } });
  writeFileSync(stamp, inputs);
  return pages;
}

/** A constant of the unit: the assembler reads the file, which is far quicker than a compiler that reads numbers. */
function constant(symbol, path) {
  return `asm(".pushsection .rodata\\n.balign 8\\n${symbol}:\\n.incbin \\"${path}\\"\\n.popsection");\nextern "C" const char ${symbol}[];\n`;
}

function pack(pages, out) {
  const folder = `${out}.files`;
  mkdirSync(folder, { recursive: true });
  const rows = [];
  let constants = '';
  for (const [number, path] of filesOf(pages).entries()) {
    const name = relative(pages, path).replaceAll('\\', '/');
    const type = types[extname(name)];
    if (type === undefined) throw new Error(`pack.mjs does not know the content type of ${name}`);
    const plain = readFileSync(path);
    const gzip = gzipSync(plain, { level: 9 });
    const isSmaller = gzip.length < plain.length * 0.9;
    const symbol = `semel_dashboard_${number}`;
    writeFileSync(join(folder, `${number}.plain`), plain);
    constants += constant(symbol, join(folder, `${number}.plain`));
    if (isSmaller) {
      writeFileSync(join(folder, `${number}.gz`), gzip);
      constants += constant(`${symbol}_gzip`, join(folder, `${number}.gz`));
    }
    const packed = isSmaller ? `{${symbol}_gzip, ${gzip.length}}` : '{}';
    const isImmutable = name.startsWith('assets/');
    rows.push(`    {"/ui/${name}", "${type}", "\\"${digest(plain).slice(0, 32)}\\"", {${symbol}, ${plain.length}}, ${packed}, ${isImmutable}},`);
  }
  writeFileSync(
    out,
    `// Written by dashboard/pack.mjs.\n#include <array>\n\n#include "api/http/asset.hpp"\n\n${constants}\nnamespace semel::http {\nnamespace {\n\n` +
      `const std::array<Asset, ${rows.length}> packed_assets{{\n${rows.join('\n')}\n}};\n\n}  // namespace\n\n` +
      'std::span<const Asset> dashboard_assets() { return packed_assets; }\n\n}  // namespace semel::http\n',
  );
}

const out = process.argv[2];
if (out === undefined) throw new Error('usage: node pack.mjs OUT');
if (!existsSync(join(here, 'node_modules', 'vite'))) {
  console.error('dashboard: its packages are missing. Run script/bootstrap (it needs npm), or configure with -DSEMEL_DASHBOARD=OFF.');
  process.exit(1);
}
mkdirSync(built, { recursive: true });
pack(await buildPages(), out);
