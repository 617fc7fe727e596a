import { booksMacs } from '../../src/core/books-macs.ts'

/** The key of the books in tests: what is posted and credited carries MACs under it. */
export const testBooksKey: Buffer = Buffer.alloc(32, 0xb0)

export const testMacs = booksMacs([testBooksKey])
