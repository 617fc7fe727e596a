import { conformance } from '../../src/chains/conformance/reader.ts'
import { evmHarness } from './evm-harness.ts'

conformance('the EVM reader on anvil', () => evmHarness())

conformance('the EVM reader on a node with debug_traceBlockByHash alone', () =>
  evmHarness({ missing: ['trace_block'] }),
)

conformance('the EVM reader on a node without traces', () =>
  evmHarness({ missing: ['trace_block', 'debug_traceBlockByHash'] }),
)

conformance('the EVM reader on a node that limits batches and calls and has few methods', () =>
  evmHarness({
    missing: ['trace_block', 'eth_getBlockReceipts', 'eth_getLogs'],
    batchMax: 2,
    callsPerSecond: 40,
  }),
)
