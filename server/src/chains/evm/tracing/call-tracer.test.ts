import { describe, expect, it } from 'vitest'
import { NodeError } from '../../port.ts'
import { readTraces } from '../answers.ts'
import { coinTransfers, withOrigins } from '../transfers.ts'
import { readCallFrames } from './call-tracer.ts'

const hash = `0x${'bb'.repeat(32)}`
const first = `0x${'01'.repeat(32)}`
const second = `0x${'02'.repeat(32)}`
const header = { block: { hash }, txHashes: new Set([first]) }

const payer = address('aa')
const contract = address('c0')
const other = address('c1')
const payee = address('dd')

function address(byte: string): string {
  return `0x${byte.repeat(20)}`
}

function precompile(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`
}

/** A call frame as geth reports it, without gas, input and output. */
function frame(type: string, from: string, to: string, value?: number, ...calls: object[]): object {
  const amount = value === undefined ? {} : { value: `0x${value.toString(16)}` }
  return { type, from, to, ...amount, ...(calls.length > 0 && { calls }) }
}

/** The outermost call of a transaction, from the payer to a contract. */
function called(...calls: object[]): object {
  return frame('CALL', payer, contract, 0, ...calls)
}

function transfersOf(result: object) {
  const traces = readCallFrames([{ txHash: first, result }], header)
  return withOrigins(coinTransfers(header.txHashes, traces), traces)
}

function keysOf(result: object): readonly string[] {
  return transfersOf(result).map(({ key }) => key.replace(`${first}:`, ''))
}

/**
 * Frames of real transactions as geth reports them, without gas, input and output. They are the fields `result`
 * of files in go-ethereum, folder eth/tracers/internal/tracetest/testdata/call_tracer.
 */
const recorded = {
  /** simple.json */
  paying: {
    type: 'CALL',
    from: '0xb436ba50d378d4bbc8660d312a13df6af6e89dfb',
    to: '0x3b873a919aa0512d5a0f09e6dcceaa4a6727fafe',
    value: '0x0',
    calls: [
      {
        type: 'CALL',
        from: '0x3b873a919aa0512d5a0f09e6dcceaa4a6727fafe',
        to: '0x0024f658a46fbb89d8ac105e98d7ac7cbbaf27c5',
        value: '0x6f05b59d3b20000',
      },
    ],
  },
  /** selfdestruct.json */
  ending: {
    type: 'CALL',
    from: '0xb436ba50d378d4bbc8660d312a13df6af6e89dfb',
    to: '0x3b873a919aa0512d5a0f09e6dcceaa4a6727fafe',
    value: '0x0',
    calls: [
      {
        type: 'SELFDESTRUCT',
        from: '0x3b873a919aa0512d5a0f09e6dcceaa4a6727fafe',
        to: '0x000000000000000000000000000000000000dead',
        value: '0x4d87094125a369d9bd5',
      },
    ],
  },
  /** inner_throw_outer_revert.json */
  failing: {
    type: 'CALL',
    error: 'execution reverted',
    from: '0xd4fcab9f0a6dc0493af47c864f6f17a8a5e2e826',
    to: '0x33056b5dcac09a9b4becad0e1dcf92c19bd0af76',
    value: '0xe92596fd6290000',
    calls: [
      {
        type: 'CALL',
        error: 'invalid opcode: INVALID',
        from: '0x33056b5dcac09a9b4becad0e1dcf92c19bd0af76',
        to: '0xe819f024b41358d2c08e3a868a5c5dd0566078d4',
        value: '0x0',
      },
    ],
  },
  /** delegatecall.json; this version of geth states no value for a delegate call. */
  delegating: {
    type: 'CALL',
    from: '0xa529806c67cc6486d4d62024471772f47f6fd672',
    to: '0x269296dddce321a6bcbaa2f0181127593d732cba',
    value: '0x0',
    calls: [
      {
        type: 'CALL',
        from: '0x269296dddce321a6bcbaa2f0181127593d732cba',
        to: '0x13204f5d64c28326fd7bd05fd4ea855302d7f2ff',
        value: '0x0',
        calls: [
          {
            type: 'DELEGATECALL',
            from: '0x13204f5d64c28326fd7bd05fd4ea855302d7f2ff',
            to: '0x42b02b5deeb78f34cd5ac896473b63e6c99a71a2',
          },
        ],
      },
    ],
  },
}

describe('recorded answers of geth', () => {
  it('give the payment of a contract, with the signer of its transaction', () => {
    expect(transfersOf(recorded.paying)).toEqual([
      {
        key: `${first}:call:0`,
        txHash: first,
        asset: { type: 'coin' },
        sender: '0x3b873a919aa0512d5a0f09e6dcceaa4a6727fafe',
        recipient: '0x0024f658a46fbb89d8ac105e98d7ac7cbbaf27c5',
        amountMinor: 500_000_000_000_000_000n,
        origin: '0xb436ba50d378d4bbc8660d312a13df6af6e89dfb',
      },
    ])
  })

  it('give what a contract leaves when it destroys itself', () => {
    expect(transfersOf(recorded.ending)).toMatchObject([
      {
        key: `${first}:call:0`,
        sender: '0x3b873a919aa0512d5a0f09e6dcceaa4a6727fafe',
        recipient: '0x000000000000000000000000000000000000dead',
        amountMinor: 0x4d87094125a369d9bd5n,
      },
    ])
  })

  it.each(['failing', 'delegating'] as const)('give no transfer of a transaction that is %s', (name) => {
    expect(transfersOf(recorded[name])).toEqual([])
  })
})

describe('what a frame moves', () => {
  it('is its value, for a call, a creation and a self-destruction', () => {
    const moved = transfersOf(
      frame(
        'CALL',
        payer,
        contract,
        9,
        frame('CALL', contract, payee, 1),
        frame('CREATE', contract, other, 2, frame('SELFDESTRUCT', other, payee, 2)),
        frame('CREATE2', contract, other, 3),
      ),
    )
    expect(moved.map(({ key, recipient, amountMinor }) => [key.slice(67), recipient, amountMinor])).toEqual([
      ['call:', contract, 9n],
      ['call:0', payee, 1n],
      ['call:1', other, 2n],
      ['call:1.0', payee, 2n],
      ['call:2', other, 3n],
    ])
  })

  it('is nothing for a delegate call that repeats the value of its caller, a CALLCODE and a static call', () => {
    const inner = [
      frame('DELEGATECALL', contract, other, 9),
      frame('CALLCODE', contract, other, 4),
      frame('STATICCALL', contract, other),
    ]
    expect(keysOf(frame('CALL', payer, contract, 9, ...inner))).toEqual(['call:'])
  })

  it('is nothing for a self-destruction that names the contract itself', () => {
    expect(keysOf(called(frame('SELFDESTRUCT', contract, contract, 5)))).toEqual([])
  })

  it('is nothing for a failed frame and all frames in it', () => {
    const failed = {
      ...frame('CALL', contract, other, 1, frame('CALL', other, payee, 2)),
      error: 'out of gas',
    }
    expect(keysOf(called(failed, frame('CALL', contract, payee, 3)))).toEqual(['call:1'])
  })
})

describe('the key of a transfer is the key of trace_block', () => {
  const paid = frame('CALL', contract, payee, 5)

  it.each([
    ['a static call', frame('STATICCALL', contract, precompile(2))],
    ['a call without value', frame('CALL', contract, precompile(4), 0)],
    [
      'a failed call without value',
      { ...frame('CALL', contract, precompile(0x100), 0), error: 'out of gas' },
    ],
    ['a CALLCODE without value', frame('CALLCODE', contract, precompile(0x11), 0)],
    ['a delegate call of a call without value', frame('DELEGATECALL', contract, precompile(1))],
  ])('and does not count %s to a precompiled contract', (_, inner) => {
    expect(keysOf(called(inner, paid))).toEqual(['call:0'])
  })

  it.each([
    ['a call to another contract', frame('CALL', contract, other, 0)],
    ['a call with value to a precompiled contract', frame('CALL', contract, precompile(4), 1)],
    ['a call to an address that is not precompiled', frame('CALL', contract, precompile(0x12), 0)],
    [
      'a call that could not be paid',
      { ...frame('CALL', contract, other, 9), error: 'insufficient balance' },
    ],
    ['a call to an address whose code makes calls', frame('CALL', contract, precompile(4), 0, called())],
  ])('and counts %s', (_, inner) => {
    expect(keysOf(called(inner, paid)).at(-1)).toBe('call:1')
  })

  it('and counts a delegate call to a precompiled contract that has the value of its caller', () => {
    const older = frame('DELEGATECALL', contract, precompile(4))
    const newer = frame('DELEGATECALL', contract, precompile(4), 9)
    for (const inner of [older, newer])
      expect(keysOf(frame('CALL', payer, contract, 9, inner, paid))).toEqual(['call:', 'call:1'])
  })

  it('because both methods give the same traces of the same calls', () => {
    const action = { from: payer, to: contract, value: '0x0', callType: 'call' }
    const step = { type: 'call', action, blockHash: hash, transactionHash: first, traceAddress: [] }
    const inner = { ...action, from: contract, to: payee, value: '0x5' }
    const flat = readTraces([step, { ...step, action: inner, traceAddress: [0] }], header)
    const result = called(frame('STATICCALL', contract, precompile(1)), paid)
    expect(readCallFrames([{ txHash: first, result }], header)).toEqual(flat)
  })
})

describe('call frames are refused', () => {
  const entry = { txHash: first, result: called() }
  const two = { ...header, txHashes: new Set([first, second]) }

  it('unless there is one entry for each transaction, in the order of the block', () => {
    const both = [entry, { ...entry, txHash: second }]
    expect(readCallFrames(both, two)).toHaveLength(2)
    expect(() => readCallFrames(both.toReversed(), two)).toThrow(NodeError)
    expect(() => readCallFrames([entry], two)).toThrow(NodeError)
    expect(() => readCallFrames(both, header)).toThrow(NodeError)
  })

  it('but not if the node states no hashes, as geth before 1.11', () => {
    expect(readCallFrames([{ result: called() }], header)).toMatchObject([{ txHash: first, signer: payer }])
  })

  it.each<[string, unknown]>([
    ['no list', { result: called() }],
    ['null', null],
    ['an entry that is null', [null]],
    ['an entry that could not be traced', [{ ...entry, error: 'execution timeout' }]],
    ['an entry of another transaction', [{ ...entry, txHash: second }]],
    ['an entry without a result', [{ txHash: first }]],
    ['an unknown type', [{ ...entry, result: called(frame('GIFT', contract, payee, 1)) }]],
    ['no type', [{ ...entry, result: called({ from: contract, to: payee, value: '0x1' }) }]],
    ['inner calls that are no list', [{ ...entry, result: { ...called(), calls: { 0: called() } } }]],
    ['an inner call that is null', [{ ...entry, result: { ...called(), calls: [null] } }]],
    ['a call without a value', [{ ...entry, result: called(frame('CALL', contract, payee)) }]],
    ['a value that is no number', [{ ...entry, result: { ...called(), value: 'much' } }]],
    [
      'a payment without a recipient',
      [{ ...entry, result: called({ ...frame('CALL', contract, payee, 1), to: null }) }],
    ],
  ])('with %s', (_, answer) => {
    expect(() => readCallFrames(answer, header)).toThrow(NodeError)
  })
})
