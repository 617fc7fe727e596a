import { describe, expect, it } from 'vitest'
import { NodeError } from '../port.ts'
import { readHeader, readLogs, readSpentReceipt, readTraces } from './answers.ts'

const hash = `0x${'bb'.repeat(32)}`
const first = `0x${'01'.repeat(32)}`
const second = `0x${'0a'.repeat(32)}`
const address = `0x${'c0'.repeat(20)}`
const topic = `0x${'ee'.repeat(32)}`
const header = { block: { hash }, txHashes: new Set([first]) }

const block = (change: object) => ({
  number: '0x5',
  hash,
  parentHash: hash,
  timestamp: '0x1',
  transactions: [first, second],
  logsBloom: `0x${'0'.repeat(512)}`,
  ...change,
})
const log = (change: object) => ({
  blockHash: hash,
  transactionHash: first,
  logIndex: '0x0',
  address,
  topics: [topic],
  data: '0x05',
  ...change,
})

describe('a header', () => {
  it('names each transaction once, in the order of the block', () => {
    expect([...(readHeader(block({}))?.txHashes ?? [])]).toEqual([first, second])
    expect(() => readHeader(block({ transactions: [first, first] }))).toThrow(NodeError)
    expect(() => readHeader(block({ transactions: [second, second.toUpperCase()] }))).toThrow(NodeError)
  })
})

describe('logs', () => {
  it('come out in lower case, however they are written', () => {
    const shouted = log({
      address: address.replace('c', 'C'),
      topics: [topic.replaceAll('e', 'E')],
      data: '0xFF',
    })
    expect(readLogs([shouted], header)).toEqual([
      { txHash: first, address, topics: [topic], payload: '0xff' },
    ])
  })

  it.each([
    ['of another block', { blockHash: first }],
    ['of a transaction that the block does not hold', { transactionHash: second }],
    ['without a transaction', { transactionHash: undefined }],
    ['that is not the first', { logIndex: '0x1' }],
    ['of no address', { address: topic }],
    ['with a topic that is an address', { topics: [address] }],
    ['with a topic that is no text', { topics: [5] }],
    ['with half a byte', { data: '0x055' }],
    ['whose payload is no hex', { data: '0x0g' }],
    ['without a payload', { data: null }],
  ])('are refused with one %s, met before or not', (_, fault) => {
    expect(() => readLogs([log(fault)], header)).toThrow(NodeError)
    expect(() => readLogs([log(fault)], header, new Set([address, topic]))).toThrow(NodeError)
  })

  it.each([undefined, null, 5, 'text', {}, [null], [5], [[]]])('are refused as %j', (answer) => {
    expect(() => readLogs(answer, header)).toThrow(NodeError)
  })
})

it.each([
  ['of another block', { blockHash: first }],
  ['of a transaction that the block does not hold', { transactionHash: second }],
  ['without a place', { traceAddress: undefined }],
  ['of an unknown type', { type: 'gift' }],
  ['without an action', { action: undefined }],
])('traces are refused with one %s', (_, fault) => {
  const action = { from: address, to: address, value: '0x5', callType: 'call' }
  const step = { type: 'call', action, blockHash: hash, transactionHash: first, traceAddress: [] }
  expect(readTraces([step], header)).toHaveLength(1)
  expect(() => readTraces([{ ...step, ...fault }], header)).toThrow(NodeError)
})

describe('the fee in a receipt', () => {
  const receipt = (change: object) => ({
    transactionHash: first,
    blockHash: hash,
    blockNumber: '0x52',
    status: '0x1',
    ...change,
  })
  const feeOf = (change: object) => readSpentReceipt(receipt(change))?.feeMinor

  // From `TestWithdrawalRoot` of ethereum-optimism/optimism, which also states what the sender's balance lost:
  // 422 more than the gas and the fee of the chain below.
  const isthmus = {
    gasUsed: '0x12448',
    effectiveGasPrice: '0x6696339c',
    l1Fee: '0x2353d65',
    operatorFeeScalar: '0x12c',
    operatorFeeConstant: '0x190',
  }

  it('is what the sender lost by a recorded transaction with an operator fee (Isthmus)', () => {
    expect(feeOf(isthmus)).toBe(128_781_093_286_213n + 422n)
  })

  it('has the operator fee of Jovian if the receipt has the field that Jovian added', () => {
    const operatorMinor = 0x12448n * 0x12cn * 100n + 0x190n
    expect(feeOf({ ...isthmus, daFootprintGasScalar: '0x0' })).toBe(128_781_093_286_213n + operatorMinor)
  })

  it('has no operator fee in a recorded receipt without scalar and constant (OP Mainnet, Jovian)', () => {
    const reported = { gasUsed: '0xbdbfe', effectiveGasPrice: '0x15f', l1Fee: '0xae8f1995' }
    expect(feeOf({ ...reported, daFootprintGasScalar: '0x190' })).toBe(0xbdbfen * 0x15fn + 0xae8f1995n)
  })

  it('is the price of the gas on Arbitrum, where the gas used includes that for the chain below', () => {
    expect(feeOf({ gasUsed: '0x12448', effectiveGasPrice: '0x10', gasUsedForL1: '0x448' })).toBe(0x124480n)
  })

  it('is refused if a part of it is malformed', () => {
    for (const name of ['l1Fee', 'operatorFeeScalar', 'operatorFeeConstant'])
      expect(() => feeOf({ ...isthmus, [name]: '7' })).toThrow(NodeError)
  })
})
