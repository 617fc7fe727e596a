import type { ChainReader } from '../../src/chains/port.ts'

/** A node that tells true blocks and not what they moved. */
export function blindReader(reader: ChainReader): ChainReader {
  return overReader(reader, {
    readBlock: async (height, signal) => {
      const facts = await reader.readBlock(height, signal)
      return facts && { ...facts, transfers: [] }
    },
  })
}

/** A reader that answers some questions otherwise. */
export function overReader(reader: ChainReader, changes: Partial<ChainReader>): ChainReader {
  return new Proxy(reader, {
    get: (target, name) => {
      if (name in changes) return Reflect.get(changes, name)
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
