import { describe, expect, it } from 'vitest'
import { readBroadcastError, wouldFail } from './broadcast-errors.ts'

/** Error messages with their codes, exactly as the nodes send them. */
const broadcasts = {
  known: [
    ['already known', -32000],
    ['existing tx with same hash', -32000],
    ['AlreadyKnown', -32010],
    ['Known transaction', -32000],
    ['Transaction with the same hash was already imported.', -32010],
    ['transaction already imported', -32003],
    ['transaction already in mempool', -32603],
  ],
  'nonce-used': [
    ['nonce too low: next nonce 5, tx nonce 4', -32000],
    ['nonce too low', -32003],
    ['OldNonce, Current nonce: 7, nonce of rejected tx: 6', -32010],
    ['Nonce too low', -32001],
    ['Transaction nonce is too low. Try incrementing the nonce.', -32010],
    ['NONCE_TOO_LOW', -32000],
  ],
  underpriced: [
    ['replacement transaction underpriced', -32000],
    ['transaction underpriced: tip needed 1, tip permitted 0', -32000],
    ['ReplacementNotAllowed', -32010],
    ['FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7', -32010],
    ['FeeTooLowToCompete', -32010],
    ['Transaction gas price below configured minimum gas price', -32009],
    [
      'Transaction gas price 1wei is too low. There is another transaction with same nonce in the queue',
      -32010,
    ],
    ['max fee per gas less than block base fee', -32003],
    ['transaction underpriced', -32603],
  ],
  'no-funds': [
    ['insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000', -32000],
    ['Insufficient funds for gas * price + value', -32003],
    ['InsufficientFunds, Account balance: 0, cumulative cost: 21000', -32010],
    ['Upfront cost exceeds account balance', -32004],
    ['UPFRONT_COST_EXCEEDS_BALANCE', -32000],
  ],
  other: [
    ['invalid sender', -32000],
    ['intrinsic gas too low', -32000],
    ['exceeds block gas limit', -32000],
    ['txpool is full', -32000],
    ['nonce too high', -32000],
    ['Failed to decode transaction', -32602],
    ['invalid chain id for signer', -32000],
  ],
  none: [
    ['limit exceeded', -32005],
    ['Too many requests', 429],
    ['the method eth_sendRawTransaction does not exist/is not available', -32601],
    ['Internal error', -32603],
  ],
} as const

describe('the refusal of a broadcast', () => {
  const kinds: readonly [string, readonly (readonly [string, number])[]][] = Object.entries(broadcasts)
  for (const [why, messages] of kinds)
    it.each(messages)(`is read as ${why}: %s`, (message, code) => {
      expect(readBroadcastError({ message, code }) ?? 'none').toBe(why)
    })
})

describe('the refusal of an estimate', () => {
  it.each([
    ['execution reverted: balance is too small', 3],
    ['execution reverted', -32000],
    ['VM execution error.', -32015],
    ['Execution reverted', -32000],
    ['gas required exceeds allowance (30000000)', -32000],
    ['invalid opcode: opcode 0xfe not defined', -32000],
    ['insufficient funds for transfer', -32000],
    ['out of gas', -32003],
  ])('says that it would fail: %s', (message, code) => {
    expect(wouldFail({ message, code })).toBe(true)
  })

  it.each([
    ['limit exceeded', -32005],
    ['Internal error', -32603],
    ['header not found', -32000],
    ['missing trie node', -32000],
    ['the method eth_estimateGas does not exist/is not available', -32601],
  ])('says nothing of the transaction: %s', (message, code) => {
    expect(wouldFail({ message, code })).toBe(false)
  })
})
