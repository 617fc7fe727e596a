import type { ChainReader } from '../../src/chains/port.ts'

/** A node that returns true blocks without the transfers in them. */
export function blindReader(reader: ChainReader): ChainReader {
  return overReader(reader, {
    readBlock: async (height, signal) => {
      const facts = await reader.readBlock(height, signal)
      return facts && { ...facts, transfers: [] }
    },
  })
}

/** Returns a reader with some of its answers replaced. */
export function overReader(reader: ChainReader, changes: Partial<ChainReader>): ChainReader {
  return new Proxy(reader, {
    get: (target, name) => {
      if (name in changes) return Reflect.get(changes, name)
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
