/** Finds the built files of web/ that are loaded by pages that the server renders itself. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtPages } from './add-pages.ts'

/** The files that a page rendered by the server loads, as paths from the server's root. */
export interface BuiltEntry {
  readonly script: string | undefined
  readonly styles: readonly string[]
  /** The icon of all pages. */
  readonly icon: string | undefined
}

const nothing: BuiltEntry = { script: undefined, styles: [], icon: undefined }

interface ManifestChunk {
  readonly file: string
  readonly css?: readonly string[]
}

/** Returns the built files of one entry point of web/, as listed in the manifest; none without a build. */
export function builtEntry(name: string, folder: string = builtPages): BuiltEntry {
  const path = join(folder, '.vite', 'manifest.json')
  if (!existsSync(path)) return nothing
  const manifest: Readonly<Record<string, ManifestChunk>> = JSON.parse(readFileSync(path, 'utf8'))
  const entry = manifest[`${name}/main.ts`]
  if (entry === undefined) return nothing
  const icon = manifest['design/icon.svg']
  return {
    script: `/${entry.file}`,
    styles: (entry.css ?? []).map((file) => `/${file}`),
    icon: icon && `/${icon.file}`,
  }
}

/** Returns the SVG text of the icon of all pages; undefined if web/ is not built. */
export function builtIcon(folder: string = builtPages): string | undefined {
  const { icon } = builtEntry('checkout', folder)
  return icon === undefined ? undefined : readFileSync(join(folder, icon), 'utf8')
}

/** Returns the source text of the script of an entry point; undefined if web/ is not built. */
export function builtScript(name: string, folder: string = builtPages): string | undefined {
  const { script } = builtEntry(name, folder)
  return script === undefined ? undefined : readFileSync(join(folder, script), 'utf8')
}
