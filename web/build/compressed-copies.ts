/** Writes a compressed copy beside each text file, so that the server does not have to compress files. */
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

export function compressedCopies(): Plugin {
  return {
    name: 'compressed-copies',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (!/\.(?:js|css|svg)$/.test(file.fileName)) continue
          const content = file.type === 'chunk' ? file.code : file.source
          this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source: gzipSync(content) })
          this.emitFile({
            type: 'asset',
            fileName: `${file.fileName}.br`,
            source: brotliCompressSync(content),
          })
        }
      },
    },
  }
}
