import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Writes a compressed copy of each file that shrinks. The service sends it to browsers that accept the encoding. */
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

/** Builds the console into static files that the API serves. In development, requests are proxied to `npm start`. */
export default defineConfig({
  root: 'src/console',
  plugins: [react(), tailwindcss(), compressed()],
  resolve: { alias: { typebox: fileURLToPath(new URL('scripts/typebox-stub.mjs', import.meta.url)) } },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // Keeps fonts and images as files, so that the Content-Security-Policy does not have to allow `data:`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
    // The service validates with the contract's schemas. The page only needs its constants.
    rolldownOptions: {
      treeshake: {
        manualPureFunctions: ['Type', 'durationSchema', 'strict', 'pageSchema', 'timestamp', 'nullable'],
      },
    },
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
