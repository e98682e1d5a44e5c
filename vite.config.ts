import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Puts a compressed copy beside each file that becomes smaller by it: the service sends that to browsers that take it. */
function compressed(): Plugin {
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  return {
    name: 'phonebooth:compressed',
    apply: 'build',
    writeBundle: async ({ dir = '' }) => {
      for await (const name of glob('**/*.{js,css,svg,html}', { cwd: dir })) {
        const path = join(dir, name);
        const bytes = await readFile(path);
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, brotli));
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
      }
    },
  };
}

/** The console, built into static files that the API serves. In development the API is a running `npm start`. */
export default defineConfig({
  root: 'src/console',
  plugins: [react(), tailwindcss(), compressed()],
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // Fonts and images stay files: a strict Content-Security-Policy needs no `data:` then.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The service checks by the contract's schemas; the page needs its constants, and TypeBox for nothing.
    rolldownOptions: { treeshake: { manualPureFunctions: ['Type', 'durationSchema'] } },
  },
  worker: { format: 'es' },
  server: {
    proxy: {
      '/v1': 'http://127.0.0.1:7100',
      '/auth': 'http://127.0.0.1:7100',
      '/stream': { target: 'ws://127.0.0.1:7100', ws: true },
      '/control': { target: 'ws://127.0.0.1:7100', ws: true },
    },
  },
});
