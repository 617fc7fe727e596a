import { afterEach, describe, expect, it } from 'vitest'
import { openSender } from '../../src/chains/open-chain.ts'
import { type AccountSender, NodeError, type Spend, WrongChainError } from '../../src/chains/port.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { silentLog } from '../../src/core/log.ts'
import { quantity, useAnvil } from '../support/anvil.ts'
import { type Alter, startAlteredNode, without } from './altered-node.ts'
import { devNetwork } from './evm-harness.ts'
import { coin, never, newWallet, signAs, token, transactionOf, useSweeping } from './own-wallets.ts'

const anvil = useAnvil()
const sweeping = useSweeping(anvil)
const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

function through(...urls: string[]): AccountSender {
  const sender = openSender({ network: devNetwork, urls, log: silentLog })
  opened.push(() => sender.close())
  return sender
}

async function alteredUrl(alter: Alter): Promise<string> {
  const node = await startAlteredNode(anvil.url, alter)
  opened.push(() => node.close())
  return node.url
}

async function altered(alter: Alter): Promise<AccountSender> {
  return through(await alteredUrl(alter))
}

/** Changes the result of one method. */
// biome-ignore lint/suspicious/noExplicitAny: a test spoils answers of any shape
function spoiling(method: string, spoil: (result: any) => unknown): Alter {
  return (call, answer) =>
    call.method === method ? { ...answer, result: spoil(structuredClone(answer['result'])) } : answer
}

function refusing(method: string, message: string, code = -32000): Alter {
  return (call, answer) => (call.method === method ? { id: call.id, error: { code, message } } : answer)
}

/** Answers as a node that refuses broadcasts and never learns of the transaction. */
function refusingBroadcasts(message: string, code = -32000): Alter {
  const unknown = spoiling('eth_getTransactionByHash', () => null)
  return (call, answer) =>
    call.method === 'eth_sendRawTransaction'
      ? refusing('eth_sendRawTransaction', message, code)(call, answer)
      : unknown(call, answer)
}

const nowhere = 'http://127.0.0.1:9'

function payment(amountMinor = 1n): Spend {
  return { type: 'pay', asset: coin, recipient: newWallet(), amountMinor }
}

async function signedPayment(nonce = 0) {
  return signAs(await sweeping.richWallet(), transactionOf(payment(), { nonce }))
}

describe('E02 a transaction that was sent before', () => {
  it.each(['already known', 'nonce too low', 'some words nobody has heard of'])(
    'counts as accepted while the node knows it, although it refuses with "%s"',
    async (words) => {
      const { raw } = await signedPayment()
      expect(await through(anvil.url).broadcast(raw, never)).toEqual({ type: 'taken' })
      const sender = await altered(refusing('eth_sendRawTransaction', words))
      expect(await sender.broadcast(raw, never)).toEqual({ type: 'taken' })
      await anvil.mine()
      expect(await sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    },
  )

  it('is refused for its nonce if no node knows it', async () => {
    const { raw } = await signedPayment()
    const sender = await altered(refusingBroadcasts('nonce too low: next nonce 5, tx nonce 4'))
    expect(await sender.broadcast(raw, never)).toMatchObject({ type: 'refused', why: 'nonce-used' })
  })

  it('has an unknown outcome if the node fails, or names another accepted transaction', async () => {
    const { raw } = await signedPayment()
    const failing = await altered(refusingBroadcasts('Internal error', -32603))
    await expect(failing.broadcast(raw, never)).rejects.toThrow(NodeError)
    const lying = await altered(spoiling('eth_sendRawTransaction', () => `0x${'ab'.repeat(32)}`))
    await expect(lying.broadcast((await signedPayment()).raw, never)).rejects.toThrow(NodeError)
    await expect(through(nowhere).broadcast(raw, never)).rejects.toThrow(NodeError)
  })
})

describe('several nodes', () => {
  it('all get a transaction, and one that accepts it is enough', async () => {
    const { raw } = await signedPayment()
    const refuser = await alteredUrl(refusingBroadcasts('insufficient funds for gas'))
    const node = await startAlteredNode(anvil.url, (_, answer) => answer)
    opened.push(() => node.close())
    const sender = through(nowhere, refuser, anvil.url, node.url)
    expect(await sender.broadcast(raw, never)).toEqual({ type: 'taken' })
    expect(node.calls.map(({ method }) => method)).toContain('eth_sendRawTransaction')
  })

  it('report the most serious refusal if none accepts it', async () => {
    const { raw } = await signedPayment()
    const poor = await alteredUrl(refusingBroadcasts('insufficient funds'))
    const late = await alteredUrl(refusingBroadcasts('nonce too low'))
    expect(await through(poor, nowhere, late).broadcast(raw, never)).toMatchObject({ why: 'nonce-used' })
    await expect(through(nowhere, nowhere).broadcast(raw, never)).rejects.toThrow(NodeError)
  })

  it('cannot declare a payment impossible if another one estimates its gas', async () => {
    const wallet = await sweeping.richWallet()
    const wrong = await alteredUrl(refusing('eth_estimateGas', 'execution reverted', 3))
    expect(await through(wrong, nowhere, anvil.url).estimateGas(wallet, payment(), never)).toHaveProperty(
      'gas',
    )
    expect(await through(wrong, wrong).estimateGas(wallet, payment(), never)).toHaveProperty('error')
    expect(await through(nowhere, wrong).estimateGas(wallet, payment(), never)).toHaveProperty('error')
  })

  it('are not used when they are of another chain', async () => {
    const wrong = await altered(spoiling('eth_chainId', () => '0x1'))
    const { raw } = await signedPayment()
    await expect(wrong.broadcast(raw, never)).rejects.toThrow(WrongChainError)
    await expect(wrong.readFees(never)).rejects.toThrow(WrongChainError)
  })
})

describe('E21 the fees that a node returns', () => {
  it.each([
    ['no fees', () => null],
    ['a list of none', (history: object) => ({ ...history, baseFeePerGas: [] })],
    ['a negative fee', (history: object) => ({ ...history, baseFeePerGas: ['-0x1'] })],
    ['a fee that is no number', (history: object) => ({ ...history, baseFeePerGas: [7] })],
  ])('are refused if they are %s', async (_, spoil) => {
    const sender = await altered(spoiling('eth_feeHistory', spoil))
    await expect(sender.readFees(never)).rejects.toThrow(NodeError)
  })

  it('are read from blocks if the node suggests no tip, and refused if the tip is invalid', async () => {
    const history = spoiling('eth_feeHistory', (reported) => ({
      ...reported,
      reward: [['0x5'], ['0x7'], ['0x6']],
    }))
    const both: Alter = (call, answer) =>
      without('eth_maxPriorityFeePerGas')(call, history(call, answer) as never)
    expect(await (await altered(both)).readFees(never)).toMatchObject({ maxPriorityFeePerGas: 6n })
    const negative = await altered(spoiling('eth_maxPriorityFeePerGas', () => '-0x1'))
    await expect(negative.readFees(never)).rejects.toThrow(NodeError)
  })
})

describe('a receipt', () => {
  it.each([
    ['status', undefined],
    ['status', null],
    ['status', '0x2'],
    ['gasUsed', null],
    ['effectiveGasPrice', undefined],
    ['transactionHash', `0x${'ab'.repeat(32)}`],
  ])(
    'whose %s is %s is refused, because a payment that wrongly counts as failed would be paid again',
    async (name, value) => {
      const { raw, txHash } = await signedPayment()
      await through(anvil.url).broadcast(raw, never)
      await anvil.mine()
      const sender = await altered(
        spoiling('eth_getTransactionReceipt', (reported) => ({ ...reported, [name]: value })),
      )
      await expect(sender.readReceipts([txHash], never)).rejects.toThrow(NodeError)
    },
  )

  it('includes the fee that a rollup charges for the layer-1 chain', async () => {
    const { raw, txHash } = await signedPayment()
    await through(anvil.url).broadcast(raw, never)
    await anvil.mine()
    const [plain] = await through(anvil.url).readReceipts([txHash], never)
    const rollup = await altered(
      spoiling('eth_getTransactionReceipt', (reported) => ({ ...reported, l1Fee: '0x7' })),
    )
    const [receipt] = await rollup.readReceipts([txHash], never)
    expect(receipt?.feeMinor).toBe((plain?.feeMinor ?? 0n) + 7n)
  })
})

describe('an estimate', () => {
  it('gives the sender a high balance by a state override, since some nodes refuse a payment that the sender cannot afford', async () => {
    const wallet = newWallet()
    const node = await startAlteredNode(anvil.url, (_, answer) => answer)
    opened.push(() => node.close())
    await through(node.url).estimateGas(wallet, payment(), never)
    const asked = node.calls.find(({ method }) => method === 'eth_estimateGas')
    expect(asked?.params[2]).toEqual({ [wallet]: { balance: quantity(2n ** 100n) } })
  })
})

describe('an estimate through a node without state overrides', () => {
  /** Imitates a node that rejects a third parameter of `eth_estimateGas`, which contains the overrides. */
  const strict: Alter = (call, answer) =>
    call.method === 'eth_estimateGas' && call.params.length > 2
      ? { id: call.id, error: { code: -32602, message: 'too many arguments, want at most 2' } }
      : answer

  it('is made without the override for a payment', async () => {
    const wallet = await sweeping.richWallet()
    expect(await (await altered(strict)).estimateGas(wallet, payment(), never)).toEqual({ gas: 21_000n })
  })

  it('is sufficient for a sweep of new addresses', async () => {
    const hotWallet = await sweeping.richWallet()
    const delegate = await sweeping.deployFor([hotWallet])
    const { USDT } = await anvil.deployTokens()
    for (const count of [1, 20]) {
      const addresses = Array.from({ length: count }, newWallet)
      for (const address of addresses) await anvil.rpc('anvil_dealERC20', [address, USDT, quantity(5n)])
      const delegations = addresses.map((address) => ({ address, delegate, nonce: 0 }))
      const spend: Spend = { type: 'sweep', delegate, addresses, assets: [token(USDT), coin], delegations }
      const estimate = await (await altered(strict)).estimateGas(hotWallet, spend, never)
      const gas = 'gas' in estimate ? estimate.gas : 0n
      const [nonce = 0] = await sweeping.sender.readNonces([hotWallet], undefined, never)
      const { raw, txHash } = await signAs(hotWallet, transactionOf(spend, { nonce, gasLimit: gas }))
      await sweeping.sender.broadcast(raw, never)
      await anvil.mine()
      const [receipt] = await sweeping.sender.readReceipts([txHash], never)
      expect(receipt).toMatchObject({ isSuccess: true })
      for (const address of addresses) expect(await sweeping.tokensOf(USDT, address)).toBe(0n)
    }
    expect(spendCodecs.evm.delegateOf([hotWallet])).toBe(delegate)
  })

  it('fails if the node fails', async () => {
    const wallet = await sweeping.richWallet()
    const sender = await altered(refusing('eth_estimateGas', 'missing trie node'))
    await expect(sender.estimateGas(wallet, payment(), never)).rejects.toThrow(NodeError)
  })
})
