import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtPages } from './add-pages.ts'

/** What a page that the server writes itself loads: paths from the server's root. */
export interface BuiltEntry {
  readonly script: string | undefined
  readonly styles: readonly string[]
  /** The picture that all pages share. */
  readonly icon: string | undefined
}

const nothing: BuiltEntry = { script: undefined, styles: [], icon: undefined }

interface ManifestChunk {
  readonly file: string
  readonly css?: readonly string[]
}

/** The built files of one entry of web/, by the build's own list; none where nothing is built. */
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

/** The text of the picture that all pages share. */
export function builtIcon(folder: string = builtPages): string | undefined {
  const { icon } = builtEntry('checkout', folder)
  return icon === undefined ? undefined : readFileSync(join(folder, icon), 'utf8')
}

/** The text of the script of an entry. */
export function builtScript(name: string, folder: string = builtPages): string | undefined {
  const { script } = builtEntry(name, folder)
  return script === undefined ? undefined : readFileSync(join(folder, script), 'utf8')
}
