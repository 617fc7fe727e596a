import { conformance } from '../../src/chains/conformance/reader.ts'
import { evmHarness } from './evm-harness.ts'

conformance('the EVM reader on anvil', evmHarness)
