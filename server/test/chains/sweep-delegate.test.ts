import { encodeFunctionData, type Hex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { create2Deployer } from '../../src/chains/evm/sweep-delegate.ts'
import { required } from '../../src/core/assert.ts'
import { type Artifact, quantity, useAnvil } from '../support/anvil.ts'
import { compileContract } from '../support/compile-contract.ts'
import { coin, never, newWallet, signAs, token, transactionOf, useSweeping } from './own-wallets.ts'

const anvil = useAnvil()
const sweeping = useSweeping(anvil)
const artifacts = new Map<string, Artifact>()
const oneEther = 10n ** 18n
let hotWallet = ''
let otherHotWallet = ''
let delegate = ''
let usdt = ''
let caller = ''

beforeAll(async () => {
  for (const name of ['HostileToken', 'Caller'])
    artifacts.set(name, await compileContract(new URL(`./contracts/${name}.sol`, import.meta.url)))
  const sweeper = new URL('../../src/chains/evm/contracts/SweepDelegate.sol', import.meta.url)
  artifacts.set('SweepDelegate', await compileContract(sweeper))
  hotWallet = await sweeping.richWallet()
  otherHotWallet = await sweeping.richWallet()
  delegate = await sweeping.deployFor([hotWallet, otherHotWallet])
  usdt = (await anvil.deployTokens()).USDT
  caller = await anvil.deploy(artifactOf('Caller'))
}, 60_000)

function artifactOf(name: string): Artifact {
  return required(artifacts.get(name), name)
}

function orderOf(contract: string, functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: artifactOf(contract).abi, functionName, args })
}

/** Returns a deposit address with 5 USDT and one coin. */
async function deposit(): Promise<string> {
  const address = newWallet()
  await anvil.rpc('anvil_dealERC20', [address, usdt, quantity(5_000_000n)])
  await anvil.rpc('anvil_setBalance', [address, quantity(oneEther)])
  return address
}

/** Returns a deposit address that is delegated already and holds the same amounts. */
async function delegatedDeposit(): Promise<string> {
  const address = await deposit()
  await sweeping.sweep(hotWallet, { delegate, addresses: [address], assets: [token(usdt)] })
  await anvil.rpc('anvil_dealERC20', [address, usdt, quantity(5_000_000n)])
  await anvil.rpc('anvil_setBalance', [address, quantity(oneEther)])
  return address
}

async function holdingsOf(address: string) {
  return [await sweeping.tokensOf(usdt, address), await sweeping.etherOf(address)]
}

/** Sends a call from an address that anvil impersonates, and returns whether it was mined and succeeded. */
async function callAs(from: string, to: string, order: Hex, valueMinor = 0n): Promise<boolean> {
  await anvil.rpc('anvil_impersonateAccount', [from])
  const gas = '0x1e8480'
  const call = { from, to, data: order, gas, value: quantity(valueMinor) }
  const txHash = await anvil.rpc('eth_sendTransaction', [call])
  await anvil.mine()
  await anvil.rpc('anvil_stopImpersonatingAccount', [from])
  return (await anvil.receiptOf(txHash)).status === '0x1'
}

function hostile(manner: string): Promise<string> {
  return anvil.deploy(artifactOf('HostileToken'), [manner])
}

describe('the sweep contract', () => {
  it('moves several assets from new addresses to the calling hot wallet, in one transaction', async () => {
    const addresses = [await deposit(), await deposit(), await deposit()]
    const before = await sweeping.tokensOf(usdt, otherHotWallet)
    const etherBefore = await sweeping.etherOf(otherHotWallet)
    const receipt = await sweeping.sweep(otherHotWallet, { delegate, addresses, assets: [coin, token(usdt)] })
    expect(receipt.isSuccess).toBe(true)
    for (const address of addresses) expect(await holdingsOf(address)).toEqual([0n, 0n])
    expect(await sweeping.tokensOf(usdt, otherHotWallet)).toBe(before + 15_000_000n)
    expect(await sweeping.etherOf(otherHotWallet)).toBe(etherBefore + 3n * oneEther - receipt.feeMinor)
  })

  it('needs no second authorization from a delegated address', async () => {
    const address = await delegatedDeposit()
    expect(await sweeping.delegations([address], delegate)).toEqual([])
    await sweeping.sweep(hotWallet, { delegate, addresses: [address], assets: [token(usdt), coin] })
    expect(await holdingsOf(address)).toEqual([0n, 0n])
  })

  it('skips an address that is not delegated, or that is delegated to another contract', async () => {
    const plain = await deposit()
    const foreign = await deposit()
    const good = await delegatedDeposit()
    await anvil.rpc('anvil_setCode', [foreign, `0xef0100${caller.slice(2)}`])
    const addresses = [plain, foreign, good]
    const spend = {
      type: 'sweep',
      delegate,
      addresses,
      assets: [token(usdt), coin],
      delegations: [],
    } as const
    expect((await sweeping.send(hotWallet, spend)).isSuccess).toBe(true)
    expect(await holdingsOf(plain)).toEqual([5_000_000n, oneEther])
    expect(await holdingsOf(foreign)).toEqual([5_000_000n, oneEther])
    expect(await holdingsOf(good)).toEqual([0n, 0n])
  })

  it('is replaced by another delegation when the hot wallets change, signed only by the address itself', async () => {
    const address = await delegatedDeposit()
    const newHotWallet = await sweeping.richWallet()
    const second = await sweeping.deployFor([newHotWallet])
    const stranger = newWallet()
    await anvil.rpc('anvil_setBalance', [stranger, quantity(oneEther)])
    const gathering = { type: 'sweep', delegate: second, addresses: [address], assets: [coin] } as const
    // A delegation applies to the account that signed it, so this one delegates only the signer's own
    // account.
    await expect(
      sweeping.send(newHotWallet, {
        ...gathering,
        delegations: [{ address: stranger, delegate: second, nonce: 0 }],
      }),
    ).resolves.toMatchObject({ isSuccess: true })
    expect(await sweeping.sender.readDelegates([address], never)).toEqual([delegate])
    expect(await holdingsOf(address)).toEqual([5_000_000n, oneEther])
    await sweeping.sweep(newHotWallet, {
      delegate: second,
      addresses: [address],
      assets: [token(usdt), coin],
    })
    expect(await holdingsOf(address)).toEqual([0n, 0n])
  })
})

describe('calls through a delegated address are refused to', () => {
  const orders = (address: string, to: string) => ({
    sweep: orderOf('SweepDelegate', 'gather', [[address], [usdt, zero]]),
    handOver: orderOf('SweepDelegate', 'handOver', [[usdt, zero], to]),
    transfer: `0xa9059cbb${to.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}` as Hex,
  })
  const zero = `0x${'0'.repeat(40)}`

  it('an external account, at the address or at the contract', async () => {
    const address = await delegatedDeposit()
    const external = await sweeping.richWallet()
    const { sweep, handOver, transfer } = orders(address, external)
    for (const order of [sweep, handOver]) {
      expect(await callAs(external, delegate, order)).toBe(false)
      expect(await callAs(external, address, order)).toBe(false)
    }
    // The call of a token function succeeds as at an address without code, and changes nothing.
    expect(await callAs(external, address, transfer)).toBe(true)
    expect(await holdingsOf(address)).toEqual([5_000_000n, oneEther])
  })

  it('a hot wallet that bypasses the contract, and a hot wallet of another contract', async () => {
    const address = await delegatedDeposit()
    const strangerHotWallet = await sweeping.richWallet()
    const { sweep, handOver } = orders(address, hotWallet)
    for (const order of [sweep, handOver]) expect(await callAs(hotWallet, address, order)).toBe(false)
    expect(await callAs(hotWallet, delegate, handOver)).toBe(false)
    const other = await sweeping.deployFor([strangerHotWallet])
    const assets = [token(usdt), coin]
    const spend = { type: 'sweep', delegate: other, addresses: [address], assets, delegations: [] } as const
    expect((await sweeping.send(strangerHotWallet, spend)).isSuccess).toBe(true)
    expect(await callAs(strangerHotWallet, delegate, sweep)).toBe(false)
    expect(await holdingsOf(address)).toEqual([5_000_000n, oneEther])
  })

  it('another delegated address, a contract, and the address itself', async () => {
    const address = await delegatedDeposit()
    const neighbour = await delegatedDeposit()
    const { sweep, handOver } = orders(address, neighbour)
    const coins = await sweeping.etherOf(neighbour)
    for (const order of [sweep, handOver]) {
      expect(await callAs(neighbour, address, order)).toBe(false)
      expect(await callAs(neighbour, delegate, order)).toBe(false)
      expect(await callAs(address, address, order)).toBe(false)
      expect(await callAs(address, delegate, order)).toBe(false)
      for (const to of [address, delegate])
        expect(await callAs(hotWallet, caller, orderOf('Caller', 'callOn', [to, order]))).toBe(true)
    }
    expect(await sweeping.tokensOf(usdt, address)).toBe(5_000_000n)
    expect(await sweeping.tokensOf(usdt, neighbour)).toBe(5_000_000n)
    expect(await sweeping.etherOf(neighbour)).toBeLessThan(coins)
  })

  it('a token in the middle of a sweep', async () => {
    const address = await delegatedDeposit()
    const victim = await delegatedDeposit()
    const evil = await hostile('')
    const { sweep, handOver } = orders(victim, evil)
    for (const [target, order] of [
      [delegate, sweep],
      [delegate, handOver],
      [victim, sweep],
      [victim, handOver],
      [address, handOver],
    ] as const) {
      await callAs(hotWallet, evil, orderOf('HostileToken', 'callFirst', [target, order]))
      await sweeping.sweep(hotWallet, { delegate, addresses: [address], assets: [token(evil)] })
      const called = await anvil.rpc('eth_call', [
        { to: evil, data: orderOf('HostileToken', 'calledBack', []) },
      ])
      const succeeded = { to: evil, data: orderOf('HostileToken', 'callSucceeded', []) }
      expect(BigInt(called)).toBe(1n)
      expect(BigInt(await anvil.rpc('eth_call', [succeeded]))).toBe(0n)
    }
    expect(await holdingsOf(victim)).toEqual([5_000_000n, oneEther])
    expect(await holdingsOf(address)).toEqual([5_000_000n, oneEther])
  })
})

describe('a delegated address', () => {
  it('accepts coins from a contract that sends them with a stipend of 2,300 gas', async () => {
    const address = await delegatedDeposit()
    const order = orderOf('Caller', 'payWithStipend', [address])
    expect(await callAs(hotWallet, caller, order, 7n)).toBe(true)
    expect(await sweeping.etherOf(address)).toBe(oneEther + 7n)
  })

  it('accepts coins with any call data, as an address without code does', async () => {
    const address = await delegatedDeposit()
    for (const order of ['0x', '0x00', '0xdeadbeef', `0x${'ab'.repeat(300)}`] as const)
      expect(await callAs(hotWallet, address, order, 1n), order).toBe(true)
    expect(await sweeping.etherOf(address)).toBe(oneEther + 4n)
  })

  it('answers no question about signatures, so that nobody can sign for it', async () => {
    const address = await delegatedDeposit()
    const data = `0x1626ba7e${'0'.repeat(64)}${'40'.padStart(64, '0')}${'0'.repeat(64)}`
    expect(await anvil.rpc('eth_call', [{ to: address, data }, 'latest'])).toBe('0x')
  })

  it('can be delegated to nothing again, or pay by itself', async () => {
    const address = await delegatedDeposit()
    const recipient = newWallet()
    const pay = { type: 'pay', asset: token(usdt), recipient, amountMinor: 5_000_000n } as const
    expect((await sweeping.send(address, pay)).isSuccess).toBe(true)
    expect(await sweeping.tokensOf(usdt, recipient)).toBe(5_000_000n)
  })
})

describe('the contract itself', () => {
  it('refuses coins, since nobody could withdraw them', async () => {
    expect(await callAs(hotWallet, delegate, '0x', 1n)).toBe(false)
    expect(await callAs(hotWallet, delegate, '0xdeadbeef', 1n)).toBe(false)
  })
})

describe('a deployment', () => {
  it('is reported to fail if the contract is already deployed, or the chain has no deployer contract', async () => {
    const estimate = (hotWallets: readonly string[]) =>
      sweeping.sender.estimateGas(hotWallet, { type: 'deploy', hotWallets }, never)
    expect(await estimate([hotWallet, otherHotWallet])).toHaveProperty('error')
    expect(await estimate([otherHotWallet])).toHaveProperty('gas')
    const code = await anvil.rpc('eth_getCode', [create2Deployer, 'latest'])
    await anvil.rpc('anvil_setCode', [create2Deployer, '0x'])
    expect(await estimate([otherHotWallet])).toMatchObject({ error: expect.stringContaining('deployer') })
    await anvil.rpc('anvil_setCode', [create2Deployer, code])
  })
})

describe('one bad token', () => {
  it.for(['reverts', 'answers-false', 'burns', 'burns-when-read', 'floods', 'unreadable', 'short'])(
    'that %s does not stop other assets and other addresses from being swept',
    async (manner) => {
      const bad = await hostile(manner)
      const addresses = [await deposit(), await deposit()]
      const assets = [token(bad), coin, token(usdt), token(`0x${'77'.repeat(20)}`)]
      const receipt = await sweeping.sweep(hotWallet, { delegate, addresses, assets })
      expect(receipt.isSuccess).toBe(true)
      for (const address of addresses) expect(await holdingsOf(address)).toEqual([0n, 0n])
    },
  )
})

describe('insufficient gas', () => {
  it('reverts the whole sweep instead of skipping the last parts', async () => {
    const addresses = await Promise.all([0, 1, 2, 3].map(deposit))
    const assets = [token(usdt), coin]
    const delegations = await sweeping.delegations(addresses, delegate)
    const spend = { type: 'sweep', delegate, addresses, assets, delegations } as const
    const estimate = await sweeping.sender.estimateGas(hotWallet, spend, never)
    const enough = 'gas' in estimate ? estimate.gas : 0n
    const outcomes = new Set<boolean>()
    for (let gas = 200_000n; gas <= enough; gas += 50_000n) {
      const [nonce = 0] = await sweeping.sender.readNonces([hotWallet], undefined, never)
      const left = await sweeping.delegations(addresses, delegate)
      const { raw, txHash } = await signAs(
        hotWallet,
        transactionOf({ ...spend, delegations: left }, { nonce, gasLimit: gas }),
      )
      await sweeping.sender.broadcast(raw, never)
      await anvil.mine()
      const [receipt] = await sweeping.sender.readReceipts([txHash], never)
      const moved = await Promise.all(addresses.map((address) => sweeping.etherOf(address)))
      expect(new Set(moved)).toEqual(new Set([receipt?.isSuccess === true ? 0n : oneEther]))
      outcomes.add(receipt?.isSuccess === true)
      if (receipt?.isSuccess === true) break
    }
    expect(outcomes).toEqual(new Set([false, true]))
  })
})
