/**
 * Fails the build if a page has no size budget, or if the files that it loads before it shows anything exceed
 * the budget.
 */
import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

/** @param budgetsKb the budget of each entry, by its name, in kilobytes (1,000 bytes, gzip) */
export function bundleBudget(budgetsKb: Readonly<Record<string, number>>): Plugin {
  return {
    name: 'bundle-budget',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === 'chunk' && file.isEntry && budgetsKb[file.name] === undefined)
            this.error(`The page "${file.name}" has no budget.`)
        }
        for (const [name, budgetKb] of Object.entries(budgetsKb)) {
          const sizeKb = sizeOf(name, bundle) / 1_000
          if (sizeKb > budgetKb)
            this.error(
              `The page "${name}" loads ${sizeKb.toFixed(1)} kB (gzip); its budget is ${budgetKb} kB.`,
            )
          this.info(`${name}: ${sizeKb.toFixed(1)} kB of ${budgetKb} kB`)
        }
      },
    },
  }
}

/** Returns the compressed size in bytes of an entry, of all its static imports, and of their style sheets. */
export function sizeOf(name: string, bundle: Rolldown.OutputBundle): number {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const entry = chunks.find((chunk) => chunk.isEntry && chunk.name === name)
  if (entry === undefined) throw new Error(`There is no entry "${name}".`)
  const loaded = new Set<string>([entry.fileName])
  for (const fileName of loaded) {
    const chunk = chunks.find((one) => one.fileName === fileName)
    for (const next of chunk?.imports ?? []) loaded.add(next)
    for (const style of chunk?.viteMetadata?.importedCss ?? []) loaded.add(style)
  }
  return [...loaded].reduce((sum, fileName) => sum + compressedBytes(bundle[fileName]), 0)
}

function compressedBytes(file: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined): number {
  if (file === undefined) return 0
  return gzipSync(file.type === 'chunk' ? file.code : file.source).length
}
