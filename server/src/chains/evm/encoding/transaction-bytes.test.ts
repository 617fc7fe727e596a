import { keccak256, parseTransaction, type TransactionSerializable, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { NodeError } from '../../port.ts'
import { encodeTransaction, signerOfTransaction } from './transaction-bytes.ts'

const account = privateKeyToAccount(`0x${'4c'.repeat(32)}`)
const to = `0x${'5a'.repeat(20)}` as const
const common = { to, nonce: 7, gas: 21_000n, value: 5n }
const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }
const accessList = [{ address: to, storageKeys: [`0x${'01'.repeat(32)}` as const] }]

const transactions: readonly [string, TransactionSerializable][] = [
  ['for all chains (type 0)', { ...common, type: 'legacy', gasPrice: 9n }],
  ['for one chain (type 0)', { ...common, type: 'legacy', gasPrice: 9n, chainId: 137 }],
  ['type 1', { ...common, type: 'eip2930', gasPrice: 9n, chainId: 1, accessList }],
  ['type 2', { ...common, type: 'eip1559', ...fees, chainId: 1, accessList }],
  [
    'type 3',
    {
      ...common,
      type: 'eip4844',
      ...fees,
      chainId: 1,
      maxFeePerBlobGas: 3n,
      blobVersionedHashes: [`0x01${'ab'.repeat(31)}`],
    },
  ],
]

/** Returns the transaction as a node reports it. Like some nodes, adds leading zeros to the signature. */
async function fieldsOf(transaction: TransactionSerializable): Promise<Record<string, unknown>> {
  const raw = await account.signTransaction(transaction)
  const { r, s, v, yParity, ...parsed } = parseTransaction(raw)
  const number = (value: number | bigint | undefined) => (value === undefined ? undefined : toHex(value))
  const { maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = parsed
  return {
    hash: keccak256(raw),
    type: `0x${types.indexOf(parsed.type ?? '')}`,
    to: parsed.to,
    input: parsed.data ?? '0x',
    accessList: parsed.accessList ?? [],
    blobVersionedHashes: parsed.blobVersionedHashes,
    nonce: toHex(parsed.nonce ?? 0),
    gas: number(parsed.gas),
    value: number(parsed.value),
    chainId: number(parsed.chainId),
    gasPrice: number(parsed.gasPrice),
    maxFeePerGas: number(maxFeePerGas),
    maxPriorityFeePerGas: number(maxPriorityFeePerGas),
    maxFeePerBlobGas: number(maxFeePerBlobGas),
    r: `0x${r?.slice(2).padStart(64, '0')}`,
    s: `0x${s?.slice(2).padStart(64, '0')}`,
    v: number(v ?? BigInt(yParity ?? 0)),
    ...(yParity !== undefined && { yParity: toHex(yParity) }),
  }
}

const types = ['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702']

describe.each(transactions)('a transaction %s', (_, transaction) => {
  it('has the hash that is stated, and was signed by its signer', async () => {
    const answer = await fieldsOf(transaction)
    expect(keccak256(`0x${encodeTransaction(answer)}`)).toBe(answer['hash'])
    expect(signerOfTransaction(answer)).toBe(account.address.toLowerCase())
  })

  it('needs no parity beside v, which older nodes report alone', async () => {
    const { yParity, ...answer } = await fieldsOf(transaction)
    const v = transaction.type === 'legacy' ? answer['v'] : yParity
    expect(signerOfTransaction({ ...answer, v })).toBe(account.address.toLowerCase())
  })

  it('is refused where any field of it is reported otherwise', async () => {
    const answer = await fieldsOf(transaction)
    expect(() => signerOfTransaction({ ...answer, value: '0x6' })).toThrow(NodeError)
    expect(() => signerOfTransaction({ ...answer, r: answer['s'] })).toThrow(NodeError)
  })
})
