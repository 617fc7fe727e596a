import { expect, it } from 'vitest'
import type { RpcAnswer } from '../json-rpc.ts'
import { NodeError } from '../port.ts'
import type { CoreCalls } from './core-calls.ts'
import { readFeeRate } from './fee-rate.ts'
import { readReason, readSendError } from './send-errors.ts'

const chain = { usualFeeRate: 10_000n, feeRateMax: 1_000_000n }

/** Returns the fee rate that is read from a node with these answers. */
function rateBy(estimate: RpcAnswer, mempool: object, network: object = { relayfee: 0.00001 }) {
  const answers: readonly RpcAnswer[] = [estimate, { result: mempool }, { result: network }]
  const calls: Pick<CoreCalls, 'ask'> = { ask: async () => answers }
  return readFeeRate(calls as CoreCalls, chain, 2, new AbortController().signal)
}

const mempool = { mempoolminfee: 0.00001 }

it('E21 holds what a node estimates between the least that it takes and the most that is ever paid', async () => {
  const estimates: readonly (readonly [number, bigint])[] = [
    [0.00012345, 12_345n],
    [0.00000001, 1_000n],
    [0.01, 1_000_000n],
    [123.45, 1_000_000n],
    [1e-8, 1_000n],
  ]
  for (const [feerate, rateMinor] of estimates)
    expect(await rateBy({ result: { feerate, blocks: 2 } }, mempool)).toEqual({
      rateMinor,
      leastMinor: 1_000n,
      source: 'estimate',
    })
})

it('E21 takes the usual rate where a node has none to report, in any of the ways in which nodes say so', async () => {
  const none = [
    { errors: ['Insufficient data or no feerate found'], blocks: 0 },
    { feerate: -1, blocks: 25 },
  ]
  for (const result of none)
    expect(await rateBy({ result }, mempool)).toMatchObject({ rateMinor: 10_000n, source: 'usual' })
})

it('asks for the least that a full mempool takes, though that be more than is ever paid', async () => {
  const full = await rateBy({ result: { feerate: 0.0001 } }, { mempoolminfee: 0.02 })
  expect(full).toEqual({ rateMinor: 2_000_000n, leastMinor: 2_000_000n, source: 'estimate' })
})

it('believes no least that is no number', async () => {
  for (const mempoolminfee of ['0.00001', -1, null, Number.NaN])
    await expect(rateBy({ result: {} }, { mempoolminfee })).rejects.toBeInstanceOf(NodeError)
  const error = { code: -32601, message: 'Method not found' }
  await expect(rateBy({ error }, mempool)).rejects.toBeInstanceOf(NodeError)
})

/**
 * The messages are from `validation.cpp` and `rpc/rawtransaction.cpp` of Core 0.14 (Dogecoin), 0.21
 * (Litecoin) and 28.
 */
it('E02 distinguishes the refusals of nodes, and success from all of them', () => {
  const sentences: readonly (readonly [string, string])[] = [
    ['txn-already-in-mempool', 'known'],
    ['txn-already-known', 'known'],
    ['Transaction already in block chain', 'known'],
    ['Transaction outputs already in utxo set', 'known'],
    ['bad-txns-inputs-missingorspent', 'missing-inputs'],
    ['missing-inputs', 'missing-inputs'],
    ['Missing inputs', 'missing-inputs'],
    ['bad-txns-inputs-spent', 'missing-inputs'],
    ['txn-mempool-conflict', 'conflict'],
    ['18: txn-mempool-conflict', 'conflict'],
    ['too many potential replacements, rejecting replacement 12; too many', 'conflict'],
    ['min relay fee not met, 10 < 144', 'underpriced'],
    ['66: min relay fee not met', 'underpriced'],
    ['mempool min fee not met, 141 < 705', 'underpriced'],
    ['insufficient fee, rejecting replacement 12, less fees than conflicting txs', 'underpriced'],
    ['dust', 'other'],
    ['scriptpubkey', 'other'],
    ['mandatory-script-verify-flag-failed (Signature must be zero)', 'other'],
    ['too-long-mempool-chain', 'other'],
  ]
  for (const [message, why] of sentences) {
    expect([message, readReason(message)]).toEqual([message, why])
    expect(readSendError({ code: -26, message })).toBe(why)
  }
  expect(readSendError({ code: -27, message: 'whatever it says' })).toBe('known')
  for (const code of [-28, -32601, -10, 0])
    expect(readSendError({ code, message: 'txn-mempool-conflict' })).toBeUndefined()
})
