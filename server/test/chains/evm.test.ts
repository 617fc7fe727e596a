import { conformance } from '../../src/chains/conformance/reader.ts'
import { evmWorld } from './evm-world.ts'

conformance('the EVM reader on anvil', evmWorld)
