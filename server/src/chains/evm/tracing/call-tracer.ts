/**
 * Parses what `debug_traceBlockByHash` answers with geth's tracer `callTracer`: a tree of call frames for each
 * transaction. The result has the same form as that of `trace_block`, and the same positions, so that a
 * transfer has the same key whichever method served its block.
 *
 * Positions follow `trace_block` of Erigon, Nethermind and Reth, which number the calls of a frame from 0 and
 * leave out a nested call to a precompiled contract if its value is zero. The `callTracer` reports such a call,
 * so it is left out here. A delegate call has the value of the frame that makes it, as in those nodes.
 *
 * Positions can still differ in two cases, in which nodes with `trace_block` differ among themselves too:
 * - A call that fails before it starts, because the caller's balance is too low or 1024 calls are open. Erigon,
 *   Reth and geth since 1.14 number it; Nethermind and older versions of geth do not report it.
 * - A call without value to a contract that only one network precompiles, and to any precompiled contract on
 *   anvil, whose `trace_block` numbers these calls.
 *
 * The key of a later transfer in the same frame then depends on the node. So a key proves nothing where blocks
 * are read again: `quorum/agreement.ts` compares the order of such transfers and not their positions, and
 * `unrecorded-transfers.ts` of the deposits counts them, so that none is booked twice.
 */
import { type Fields, field, fieldsOf } from '../../json-rpc.ts'
import { NodeError } from '../../port.ts'
import {
  addressOf,
  amountOf,
  arrayOf,
  type BlockParts,
  type CoinMove,
  hashOf,
  type Trace,
} from '../answers.ts'

/** The parameters of `debug_traceBlockByHash`, after the block's hash. */
export const callTracer = { tracer: 'callTracer' } as const

/**
 * Parses the call frames of a block.
 * @param value is a list with one entry for each transaction, in the block's order. Versions of geth before
 * 1.11 do not state the hash of the transaction in the entry.
 * @throws NodeError if an entry is missing, belongs to another transaction, reports that tracing failed, or is
 * malformed
 */
export function readCallFrames(value: unknown, { block, txHashes }: BlockParts): Trace[] {
  const entries = arrayOf(value, 'call frames')
  if (entries.length !== txHashes.size)
    throw new NodeError(`the node traced ${entries.length} of ${txHashes.size} transactions of ${block.hash}`)
  const traces: Trace[] = []
  for (const [index, txHash] of [...txHashes].entries()) {
    const { txHash: stated, result, error } = fieldsOf(entries[index])
    if (error !== undefined && error !== null)
      throw new NodeError(`the node could not trace ${txHash}: ${String(error).slice(0, 200)}`)
    if (stated !== undefined && hashOf(stated, 'transaction hash of a trace') !== txHash)
      throw new NodeError(`the trace of ${txHash} belongs to another transaction`)
    addFrames(traces, { txHash, position: [], valueMinor: 0n }, result)
  }
  return traces
}

/** The frame's place in its transaction. `valueMinor` is the value of the frame that made the call. */
interface FramePlace {
  readonly txHash: string
  readonly position: readonly number[]
  readonly valueMinor: bigint
}

/** Adds a frame and its inner frames to `traces`, each frame before those that it made. */
function addFrames(traces: Trace[], place: FramePlace, frame: unknown): void {
  const { txHash, position } = place
  const fields = fieldsOf(frame)
  const { type, error, from } = fields
  const failed = error !== undefined && error !== null && error !== ''
  const move = moveOf(type, fields, failed)
  const isOutermost = position.length === 0
  traces.push({ txHash, position, failed, move, ...(isOutermost && { signer: from }) })
  const valueMinor = valueSeenBy(fields, place.valueMinor)
  let next = 0
  for (const inner of callsOf(fields)) {
    if (isOmitted(inner, valueMinor)) continue
    addFrames(traces, { txHash, position: [...position, next], valueMinor }, inner)
    next += 1
  }
}

/** Returns the frame's inner frames. The tracer leaves the list out if the frame made no call. */
function callsOf({ calls }: Fields): readonly unknown[] {
  return calls === undefined || calls === null ? [] : arrayOf(calls, 'inner calls')
}

/**
 * Returns the value that the frame's code sees, in wei. A delegate call sees the value of its caller, which
 * only newer versions of geth state.
 */
function valueSeenBy({ type, value }: Fields, callerMinor: bigint): bigint {
  if (type === 'DELEGATECALL') return callerMinor
  return value === undefined || value === null ? 0n : amountOf(value, 'value of a call')
}

/**
 * Decides whether `trace_block` leaves the inner call out. A frame that made calls itself is kept, because then
 * its network has another contract at that address.
 */
function isOmitted(inner: unknown, callerMinor: bigint): boolean {
  const fields = fieldsOf(inner)
  const { type, to } = fields
  if (typeof to !== 'string' || typeof type !== 'string' || !callTypes.has(type)) return false
  return (
    precompiled.has(to.toLowerCase()) &&
    valueSeenBy(fields, callerMinor) === 0n &&
    callsOf(fields).length === 0
  )
}

const callTypes: ReadonlySet<string> = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'])

/** The precompiled contracts of Ethereum: 0x01 to 0x11, and 0x0100 (EIP-7951). */
const precompiled: ReadonlySet<string> = new Set(
  [...Array.from({ length: 0x11 }, (_, index) => index + 1), 0x100].map(
    (address) => `0x${address.toString(16).padStart(40, '0')}`,
  ),
)

/**
 * Returns the coin transfer of a frame; undefined if the frame failed or moves nothing. Only the types below
 * exist. Another type is rejected, because it might transfer the coin.
 */
function moveOf(type: unknown, fields: Fields, failed: boolean): CoinMove | undefined {
  switch (type) {
    case 'CALL':
    case 'CREATE':
    case 'CREATE2':
    case 'SELFDESTRUCT':
      return failed ? undefined : moveIn(type, fields)
    // A delegate call runs with its caller's value, and a CALLCODE pays its caller itself.
    case 'CALLCODE':
    case 'DELEGATECALL':
    case 'STATICCALL':
      return undefined
    default:
      throw new NodeError(`a call frame has the unknown type ${JSON.stringify(type)?.slice(0, 50)}`)
  }
}

/**
 * Returns the coin transfer of a frame that succeeded. A contract that destroys itself and names itself as
 * recipient keeps or burns its coins (EIP-6780), so there is no transfer.
 */
function moveIn(type: string, fields: Fields): CoinMove | undefined {
  const amountMinor = amountOf(field(fields, 'value'), 'value of a call frame')
  if (amountMinor === 0n) return undefined
  const sender = addressOf(field(fields, 'from'), 'sender of a call frame')
  const recipient = addressOf(field(fields, 'to'), 'recipient of a call frame')
  return type === 'SELFDESTRUCT' && sender === recipient ? undefined : { sender, recipient, amountMinor }
}
