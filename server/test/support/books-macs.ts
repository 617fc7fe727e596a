import { booksMacs } from '../../src/core/books-macs.ts'

/** The key of the books in tests. Journals, deposits, quotes and addresses carry MACs under it. */
export const testBooksKey: Buffer = Buffer.alloc(32, 0xb0)

export const testMacs = booksMacs([testBooksKey])
