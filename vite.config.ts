import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The console, built into static files that the API serves. In development the API is a running `npm start`. */
export default defineConfig({
  root: 'src/console',
  plugins: [react(), tailwindcss()],
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
      '/stream': { target: 'ws://127.0.0.1:7100', ws: true },
      '/control': { target: 'ws://127.0.0.1:7100', ws: true },
    },
  },
});
