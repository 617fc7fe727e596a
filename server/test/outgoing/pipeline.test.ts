import { expect, it, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { readHalts } from '../../src/outgoing/engine/controls/halt-store.ts'
import { runEngine } from '../../src/outgoing/engine/run.ts'
import { overAccounts } from '../../src/outgoing/evm/evm-strategy.ts'
import { SignerAwayError } from '../../src/signing/signer-port.ts'
import { anyHistory, openProcess, promote } from '../support/going-back.ts'
import { useOutgoingFlow } from '../support/outgoing-flow.ts'

const flow = useOutgoingFlow()

it('pays a coin and a token to the approved recipients, once, and books the network fees', async () => {
  const coin = await flow.pay({ netMinor: 5n })
  const token = await flow.pay({ asset: 'ethereum/USDT', contract: flow.usdt, netMinor: 7n })
  const engine = await flow.engine()
  await engine.settle()
  expect((await flow.transferRequest(coin.id)).moves).toEqual(['planned', 'signed', 'broadcast'])
  await flow.mine()
  await engine.settle()
  expect((await flow.transferRequest(token.id)).moves).toEqual(['planned', 'signed', 'broadcast', 'included'])
  await flow.mine(3)
  await engine.settle()
  for (const { id } of [coin, token]) {
    const { moves, isSuccess } = await flow.transferRequest(id)
    expect(moves).toEqual(['planned', 'signed', 'broadcast', 'included', 'final'])
    expect(isSuccess).toBe(true)
  }
  expect(await flow.held(coin.address)).toBe(5n)
  expect(await flow.held(token.address, flow.usdt)).toBe(7n)
  expect(flow.alerts).toEqual([])
})

it('waits without an alert for a signer that starts a little later', async () => {
  let calls = 0
  const attest = async () => {
    calls += 1
    if (calls < 4) throw new SignerAwayError('it starts')
    return flow.signer.signer.attest()
  }
  const { signer: own } = flow.signer
  const signer = { attest, sign: own.sign.bind(own), readLog: own.readLog.bind(own), control: own.control }
  const payment = await flow.pay({ netMinor: 3n })
  const stop = new AbortController()
  const running = runEngine({
    ...overAccounts(flow.parts({ signer })),
    clock: systemClock,
    guard: anyHistory,
    pollMs: 50,
    signal: stop.signal,
  })
  await vi.waitFor(
    async () => expect((await flow.transferRequest(payment.id)).moves).toContain('broadcast'),
    20_000,
  )
  stop.abort()
  await running
  expect(calls).toBeGreaterThan(4)
  expect(flow.alerts).toEqual([])
})

it('writes nothing before its process has compared the history, nor on another server, and stays halted afterwards', async () => {
  const { db } = flow.database
  const { history } = openProcess(flow.database, 'payouts')
  const stop = new AbortController()
  let asked = 0
  const guard = () => {
    asked += 1
    return history.guard()
  }
  const askedMore = (times: number) => {
    const until = asked + times
    return vi.waitFor(() => expect(asked).toBeGreaterThanOrEqual(until), 20_000)
  }
  const first = await flow.pay({ netMinor: 3n })
  const running = runEngine({
    ...overAccounts(flow.parts()),
    clock: systemClock,
    guard,
    pollMs: 50,
    signal: stop.signal,
  })
  const movesOf = async ({ id }: { readonly id: string }) => (await flow.transferRequest(id)).moves
  try {
    await askedMore(2)
    expect(await movesOf(first)).toEqual([])
    await history.beat()
    await vi.waitFor(async () => expect(await movesOf(first)).toContain('broadcast'), 20_000)
    await promote(flow.database)
    const second = await flow.pay({ netMinor: 4n })
    await askedMore(2)
    expect(await movesOf(second)).toEqual([])
    await history.beat()
    expect(await readHalts(db)).toMatchObject([{ cause: 'history' }])
    await askedMore(2)
    expect(await movesOf(second)).toEqual([])
  } finally {
    stop.abort()
    await running
  }
})
