import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// Everything is served below /ui/, so that no file of the page can ever have the name of a route of the API.
export default defineConfig({
  base: '/ui/',
  plugins: [svelte()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // the Content-Security-Policy of the server allows no data: addresses
    cssMinify: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:7420' } },
});
