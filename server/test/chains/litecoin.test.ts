import { describe } from 'vitest'
import { conformance } from '../../src/chains/conformance/reader.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import { litecoinHarness } from './litecoin-harness.ts'

describe.skipIf(!hasLitecoind)('litecoind is installed', () => {
  conformance('the UTXO reader on litecoind', litecoinHarness)
})
