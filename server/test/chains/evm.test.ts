import { conformance } from '../../src/chains/conformance.ts'
import { without } from './altered-node.ts'
import { evmWorld } from './evm-world.ts'

conformance('the EVM reader on anvil', () => evmWorld())
conformance('the EVM reader on a node that cannot trace', () => evmWorld(without('trace_block')))
