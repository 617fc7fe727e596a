import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { bundleBudget } from './build/bundle-budget.ts'
import { compressedCopies } from './build/compressed-copies.ts'

const from = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/**
 * The entries: one for each page. The name of an entry is its path below src/. If the server writes the HTML
 * of a page, only the files that the page loads are built.
 */
const entries = {
  dashboard: from('src/dashboard/index.html'),
  checkout: from('src/checkout/main.ts'),
  embed: from('src/embed/main.ts'),
}

/**
 * Size budgets in kilobytes: the compressed JavaScript and CSS that a page loads before it shows anything.
 */
const budgetsKb = { dashboard: 200, checkout: 100, embed: 10 }

export default defineConfig({
  root: from('src'),
  base: '/',
  publicDir: false,
  resolve: { alias: { 'coffer-sdk': from('../sdk/src/index.ts') } },
  plugins: [react(), tailwind(), bundleBudget(budgetsKb), compressedCopies()],
  // The server replaces this placeholder by a new nonce in each page.
  html: { cspNonce: 'coffer-nonce' },
  build: {
    outDir: from('dist'),
    emptyOutDir: true,
    target: 'es2022',
    // An inlined file would be a data: URL, which the content security policy of the pages forbids.
    assetsInlineLimit: 0,
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: { input: entries },
  },
})
