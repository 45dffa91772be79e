import { defineConfig } from 'vite';

/** The service that `npm run console:dev` and `vite preview` ask. */
const target = process.env.CONSOLE_API ?? 'http://localhost:3000';
const proxy = { '/api': target, '/scheduling': target };

export default defineConfig(({ command, isPreview }) => ({
  // Relative, so that the console works below any prefix.
  base: command === 'serve' || isPreview ? '/console/' : './',
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // the CSP takes no data: URL
    modulePreload: { polyfill: false },
  },
  server: { proxy },
  preview: { proxy },
}));
