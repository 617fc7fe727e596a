import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { bundleBudget } from './build/bundle-budget.ts'
import { compressedCopies } from './build/compressed-copies.ts'

const from = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/**
 * One entry for each page; its key is the entry's place below src/. Of a page that the server writes itself, only what it
 * loads is built.
 */
const entries = {
  dashboard: from('src/dashboard/index.html'),
  checkout: from('src/checkout/main.ts'),
  embed: from('src/embed/main.ts'),
}

/** Kilobytes of JavaScript and CSS, compressed, that a page loads before it shows anything. */
const budgetsKb = { dashboard: 200, checkout: 100, embed: 10 }

export default defineConfig({
  root: from('src'),
  base: '/',
  publicDir: false,
  resolve: { alias: { 'coffer-sdk': from('../sdk/src/index.ts') } },
  plugins: [react(), tailwind(), bundleBudget(budgetsKb), compressedCopies()],
  // The server puts a fresh one in its place with each page.
  html: { cspNonce: 'coffer-nonce' },
  build: {
    outDir: from('dist'),
    emptyOutDir: true,
    target: 'es2022',
    // An inlined file would be a data: URL, which the policy of the pages refuses to run.
    assetsInlineLimit: 0,
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: { input: entries },
  },
})
